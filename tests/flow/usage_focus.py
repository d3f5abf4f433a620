#!/usr/bin/python3
"""What exports of usage promise, checked by another program than the one that wrote them.

    usage_focus.py focus EXPORT DAYS PROJECTS    the rules of FOCUS 1.2, and that it adds up to the reports
    usage_focus.py spoiled EXPORT                that those rules refuse what breaks them
    usage_focus.py cur EXPORT DAYS               columns and sums of a cost-and-usage report
    usage_focus.py html PAGE DAYS                a page that is whole, loads nothing and shows the same total
    usage_focus.py manual MANUAL EXPORT          that the manual's row is right, and tells every column of our own

EXPORT and PAGE are what `jobctl bill --output focus|cur|html` prints; DAYS and PROJECTS are the same time as JSON, by day
and by project, in UTC.  The rules are those of the specification's column pages (types, nulls, allowed values, and what
columns have to do with each other), in decimals: the public validator reads numbers as binary floats, by which a product
of decimals is rarely the decimal that it is."""

import datetime
import decimal
import html.parser
import json
import re
import sys

decimal.getcontext().prec = 60
D = decimal.Decimal

# Name, type, feature level (Mandatory, Conditional, Recommended), whether a usage row may be null there.
MODEL = """
AvailabilityZone String R null
BilledCost Decimal M -
BillingAccountId String M -
BillingAccountName String M null
BillingAccountType String C null
BillingCurrency Currency M -
BillingPeriodEnd Time M -
BillingPeriodStart Time M -
CapacityReservationId String C null
CapacityReservationStatus String C null
ChargeCategory String M -
ChargeClass String M null
ChargeDescription String M null
ChargeFrequency String R -
ChargePeriodEnd Time M -
ChargePeriodStart Time M -
CommitmentDiscountCategory String C null
CommitmentDiscountId String C null
CommitmentDiscountName String C null
CommitmentDiscountQuantity Decimal C null
CommitmentDiscountStatus String C null
CommitmentDiscountType String C null
CommitmentDiscountUnit Unit C null
ConsumedQuantity Decimal C -
ConsumedUnit Unit C -
ContractedCost Decimal M -
ContractedUnitPrice Decimal C -
EffectiveCost Decimal M -
InvoiceId String R null
InvoiceIssuerName String M -
ListCost Decimal M -
ListUnitPrice Decimal C -
PricingCategory String C -
PricingCurrency Currency C null
PricingCurrencyContractedUnitPrice Decimal C null
PricingCurrencyEffectiveCost Decimal C null
PricingCurrencyListUnitPrice Decimal C null
PricingQuantity Decimal M -
PricingUnit Unit M -
ProviderName String M -
PublisherName String M -
RegionId String C null
RegionName String C null
ResourceId String C null
ResourceName String C null
ResourceType String C null
ServiceCategory String M -
ServiceName String M -
ServiceSubcategory String R -
SkuId String C -
SkuMeter String C -
SkuPriceDetails Object C -
SkuPriceId String C -
SubAccountId String C null
SubAccountName String C null
SubAccountType String C null
Tags Object C null
"""
COLUMNS = {name: (kind, level, null == "null") for name, kind, level, null in map(str.split, MODEL.strip().splitlines())}

ALLOWED = {
    "CapacityReservationStatus": {"Used", "Unused"},
    "ChargeCategory": {"Usage", "Purchase", "Tax", "Credit", "Adjustment"},
    "ChargeClass": {"Correction"},
    "ChargeFrequency": {"One-Time", "Recurring", "Usage-Based"},
    "CommitmentDiscountCategory": {"Spend", "Usage"},
    "CommitmentDiscountStatus": {"Used", "Unused"},
    "PricingCategory": {"Standard", "Dynamic", "Committed", "Other"},
    "ServiceCategory": {
        "AI and Machine Learning", "Analytics", "Business Applications", "Compute", "Databases", "Developer Tools",
        "Multicloud", "Identity", "Integration", "Internet of Things", "Management and Governance", "Media", "Migration",
        "Mobile", "Networking", "Security", "Storage", "Web", "Other"},
}
SUBCATEGORIES = {"AI and Machine Learning": {
    "AI Platforms", "Bots", "Generative AI", "Machine Learning", "Natural Language Processing",
    "Other (AI and Machine Learning)"}}
PRICE_DETAILS = {"CoreCount", "DiskMaxIops", "DiskSpace", "DiskType", "GpuCount", "InstanceSeries", "InstanceType",
                 "MemorySize", "NetworkMaxIops", "NetworkMaxThroughput", "OperatingSystem", "Redundancy", "StorageClass"}

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
AWS_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z")
NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?(E[+-]?\d+)?")
CUSTOM = re.compile(r"x_([A-Z][a-z0-9]*)+")
UNIT = re.compile(r"[A-Z][A-Za-z]*s|[A-Z]{2}-[A-Z][a-z]*s")


class Broken(Exception):
    pass


def want(holds, *why):
    if not holds:
        raise Broken(" ".join(map(str, why)))


def fields(text):
    """Rows of CSV as RFC 4180 has it, strictly.  A field of nothing is None, one of two quotes is ''."""
    rows, row, at = [], [], 0
    want(text.endswith("\r\n"), "the last line has no end")
    while at < len(text):
        if text[at] == '"':
            end = at + 1
            while True:
                end = text.index('"', end)
                if text[end + 1] != '"':
                    break
                end += 2
            value, at = text[at + 1:end].replace('""', '"'), end + 1
        else:
            end = re.compile(r'[,\r\n"]').search(text, at).start()
            value, at = text[at:end] or None, end
        row.append(value)
        if text[at] == ",":
            at += 1
        else:
            want(text[at:at + 2] == "\r\n", "a field ends in", repr(text[at:at + 2]))
            rows.append(row)
            row, at = [], at + 2
    return rows


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = fields(file.read())
    header = rows[0]
    want(len(set(header)) == len(header), "a column appears twice")
    for row in rows:
        want(len(row) == len(header), "a line has", len(row), "fields, not", len(header))
    return header, [dict(zip(header, row)) for row in rows[1:]]


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file, parse_float=D)


def time_of(words):
    return datetime.datetime.strptime(words, "%Y-%m-%dT%H:%M:%SZ")


def next_month(day):
    return (day.replace(day=1) + datetime.timedelta(days=32)).replace(day=1)


def check_flat(words):
    want(isinstance(words, dict), "is no object")
    for key, value in words.items():
        want(key and not isinstance(value, (dict, list)), "is not flat:", key)


# --- the rules of a column ---

def check_value(name, value):
    kind, _, may_be_null = COLUMNS.get(name, ("String", "", True))
    if value is None:
        want(may_be_null, "is null")
        return
    want(value != "", "is empty, which is not null")
    if kind == "Decimal":
        want(NUMBER.fullmatch(value), "is no number:", value)
    elif kind == "Time":
        want(TIME.fullmatch(value) and time_of(value), "is no time:", value)
    elif kind == "Currency":
        want(re.fullmatch("[A-Z]{3}", value), "is no currency:", value)
    elif kind == "Unit":
        want(UNIT.fullmatch(value), "is no unit:", value)
    elif kind == "Object":
        check_flat(json.loads(value))
    else:
        want(value == value.strip() and value[0] not in "=+-@", "would not be read as the text that it is:", value)
    want(value in ALLOWED.get(name, {value}), "is none of the allowed values:", value)


# --- the rules of a row ---

def check_money(row):
    quantity, seconds = D(row["PricingQuantity"]), D(row["ConsumedQuantity"])
    want(D(row["ListUnitPrice"]) * quantity == D(row["ListCost"]), "ListCost is not the product")
    want(D(row["ContractedUnitPrice"]) * quantity == D(row["ContractedCost"]), "ContractedCost is not the product")
    want(D(row["BilledCost"]) == D(row["ListCost"]) == D(row["EffectiveCost"]), "there is a discount")
    want(min(D(row["ListUnitPrice"]), D(row["ContractedUnitPrice"])) >= 0, "a price is negative")
    want(seconds > 0 and seconds == seconds.to_integral_value(), "ConsumedQuantity is not of whole seconds")
    want(quantity == (seconds / 3600).quantize(D("1e-12"), decimal.ROUND_HALF_EVEN), "PricingQuantity is not its hours")
    want((row["PricingUnit"], row["ConsumedUnit"]) == ("Hours", "Seconds"), "units")


def check_times(row):
    start, end = time_of(row["ChargePeriodStart"]), time_of(row["ChargePeriodEnd"])
    month = time_of(row["BillingPeriodStart"])
    want(start < end, "the charge period is empty")
    want(start.date() == (end - datetime.timedelta(seconds=1)).date(), "the charge period is of two days")
    want(month == datetime.datetime(start.year, start.month, 1), "BillingPeriodStart is not the month's")
    want(time_of(row["BillingPeriodEnd"]) == next_month(month), "BillingPeriodEnd is not the month's")
    if row["x_IntervalKind"] != "idle":
        want((end - start).total_seconds() == int(row["ConsumedQuantity"]), "the period is not as long as it consumed")


def check_terms(row):
    reserved = row["x_Pricing"] == "reserved"
    idle = row["x_IntervalKind"] == "idle"
    want(row["ChargeCategory"] == "Usage" and row["ChargeClass"] is None, "it is not usage")
    want(row["PricingCategory"] == ("Dynamic" if row["x_Pricing"] == "spot" else "Standard"), "PricingCategory")
    want((row["CapacityReservationId"] is None) == (not reserved), "CapacityReservationId")
    want(row["CapacityReservationStatus"] == (("Unused" if idle else "Used") if reserved else None),
         "CapacityReservationStatus")
    want(row["ServiceSubcategory"] in SUBCATEGORIES[row["ServiceCategory"]], "ServiceSubcategory")
    want(row["ProviderName"] == row["InvoiceIssuerName"], "somebody else bills, so BilledCost would be 0")


def check_things(row):
    of_job = row["x_IntervalKind"] != "idle"
    for name in ("ResourceId", "ResourceName", "ResourceType", "SubAccountId", "SubAccountName"):
        want((row[name] is not None) == of_job, name, "goes with a job")
    details = json.loads(row["SkuPriceDetails"])
    for key in details:
        want(key in PRICE_DETAILS or CUSTOM.fullmatch(key), "SkuPriceDetails has", key)
    want(details["InstanceType"] == row["x_InstanceType"], "SkuPriceDetails is of another type")
    want(row["SkuId"] not in (row["SkuPriceId"], None) and row["SkuPriceId"].startswith(row["SkuId"]), "SkuPriceId")
    want((row["x_Emulated"] == "true") <= ("emulated" in row["ChargeDescription"]), "it does not say that it is emulated")
    want((row["x_PriceConfidence"] == "low") <= ("estimate" in row["ChargeDescription"]),
         "it does not say that its price is an estimate")


# --- the rules of the whole ---

def check_ledger(rows):
    """The ledger's amount is rounded at both ends of a part."""
    for row in rows:
        bound = D("1e-9") + D(row["ListUnitPrice"]) * D("0.5e-12")
        want(abs(D(row["ListCost"]) - D(row["x_LedgerCost"])) <= bound, "the ledger has", row["x_LedgerCost"],
             "where the product is", row["ListCost"])


def check_header(header):
    for name in header:
        want(name in COLUMNS or CUSTOM.fullmatch(name), "there is no column", name)
    for name, (_, level, _) in COLUMNS.items():
        want(level != "M" or name in header, "the mandatory column", name, "is missing")
    for name, (_, level, null) in COLUMNS.items():
        want(null or name in header, "the column", name, "is missing, which applies to every row")


def check_consistent(rows, key, name):
    seen = {}
    for row in rows:
        want(seen.setdefault(row[key], row[name]) == row[name], key, row[key], "has several of", name)


def check_parts(rows):
    last = {}
    for row in sorted((row for row in rows if row["x_LedgerRow"]), key=lambda row: row["ChargePeriodStart"]):
        ends = last.setdefault(row["x_LedgerRow"], row["ChargePeriodStart"])
        want(ends == row["ChargePeriodStart"], "row", row["x_LedgerRow"], "of the ledger has a gap or is told twice")
        last[row["x_LedgerRow"]] = row["ChargePeriodEnd"]


def check_focus(header, rows):
    check_header(header)
    for number, row in enumerate(rows, 2):
        try:
            for name, value in row.items():
                try:
                    check_value(name, value)
                except Broken as broken:
                    raise Broken(f"{name} {broken}") from None
            for check in (check_money, check_times, check_terms, check_things):
                check(row)
        except Broken as broken:
            raise Broken(f"line {number}: {broken}") from None
    for key, name in (("SkuId", "SkuMeter"), ("SkuPriceId", "SkuId"), ("SkuPriceId", "ListUnitPrice"),
                      ("SkuPriceId", "SkuPriceDetails"), ("ResourceId", "ResourceName"),
                      ("BillingAccountId", "BillingAccountName"), ("SubAccountId", "SubAccountName")):
        check_consistent([row for row in rows if row[key] is not None], key, name)
    check_parts(rows)
    check_ledger(rows)


# --- that it adds up ---

def sums(rows, key, amount, seconds, idle):
    """By key: seconds and money of jobs, money of what was idle."""
    result = {}
    for row in rows:
        total = result.setdefault(key(row), [0, D(0), D(0)])
        if idle(row):
            total[2] += D(row[amount])
        else:
            total[0] += seconds(row)
            total[1] += D(row[amount])
    return result


def reported(report, name):
    """The same of a report."""
    result = {}
    for row in report["rows"]:
        idle = row["idle_reserved"] or {"cost_usd": 0}
        total = [row["instance_seconds"] - row["unpriced_instance_seconds"], D(row["cost_usd"] or 0), D(idle["cost_usd"])]
        if any(total):
            result[row["group"][name]] = total
    return result


def compare(got, wanted):
    got = {key: total for key, total in got.items() if any(total)}
    want(got, "nothing is summed up")
    for key in got.keys() | wanted.keys():
        want(got.get(key) == wanted.get(key), key, "is", got.get(key), "and not", wanted.get(key))


def check_sums(rows, days, projects):
    def is_idle(row):
        return row["x_IntervalKind"] == "idle"

    def seconds(row):
        return int(row["ConsumedQuantity"])

    compare(sums(rows, lambda row: row["ChargePeriodStart"][:10], "x_LedgerCost", seconds, is_idle), reported(days, "day"))
    compare(sums(rows, lambda row: json.loads(row["Tags"]).get("project"), "x_LedgerCost", seconds, is_idle),
            reported(projects, "project"))


# --- that the rules refuse what breaks them ---

SPOILED = {
    "BilledCost": "1e-3", "BillingAccountId": None, "BillingCurrency": "Dollars", "BillingPeriodEnd": "2020-01-01T00:00:00Z",
    "BillingPeriodStart": "2026-11-01", "CapacityReservationStatus": "used", "ChargeCategory": "usage",
    "ChargeClass": "Corrected", "ChargeDescription": "=1+1", "ChargeFrequency": "Hourly",
    "ChargePeriodEnd": "2026-11-01T00:00:00.000Z", "ChargePeriodStart": "2019-12-31T23:00:00Z", "ConsumedQuantity": "1,000",
    "ConsumedUnit": "seconds", "ContractedCost": "0", "ContractedUnitPrice": "+1", "EffectiveCost": None,
    "InvoiceIssuerName": "", "ListCost": "0.1", "ListUnitPrice": "-1", "PricingCategory": "On-Demand",
    "PricingQuantity": "0.1", "PricingUnit": None, "ProviderName": "AWS", "ResourceType": None, "ServiceCategory": "ML",
    "ServiceSubcategory": "Virtual Machines", "SkuId": "some/sku", "SkuMeter": None, "SkuPriceDetails": '{"Cores": 4}',
    "SkuPriceId": None, "SubAccountId": None, "Tags": '{"a": ["b"]}', "x_LedgerCost": "9",
}


def is_refused(header, rows):
    try:
        check_focus(header, rows)
    except Broken:
        return True
    return False


def check_spoiled(header, rows):
    rows = [row for row in rows if row["x_IntervalKind"] != "idle" and row["ListUnitPrice"] != "0"][:20]
    want(not is_refused(header, rows), "what is not spoiled is refused")
    want(is_refused(header, rows + rows[-1:]), "a line may be told twice, as it seems")
    for name, value in SPOILED.items():
        want(is_refused(header, rows[:-1] + [{**rows[-1], name: value}]), f"{name} may be {value!r}, as it seems")
    for name, (_, level, _) in COLUMNS.items():
        want(level != "M" or is_refused([other for other in header if other != name], rows),
             name, "may be missing, as it seems")


# --- the other forms ---

# The rest of its columns are of what plain training does not use.
CUR = """bill_bill_type bill_billing_entity bill_billing_period_end_date bill_billing_period_start_date bill_invoice_id
bill_invoicing_entity bill_payer_account_id bill_payer_account_name cost_category discount identity_line_item_id
identity_time_interval line_item_availability_zone line_item_blended_cost line_item_blended_rate line_item_currency_code
line_item_legal_entity line_item_line_item_description line_item_line_item_type line_item_net_unblended_cost
line_item_net_unblended_rate line_item_operation line_item_product_code line_item_resource_id line_item_tax_type
line_item_unblended_cost line_item_unblended_rate line_item_usage_account_id line_item_usage_amount
line_item_usage_end_date line_item_usage_start_date line_item_usage_type pricing_public_on_demand_cost
pricing_public_on_demand_rate pricing_rate_id pricing_term pricing_unit product resource_tags""".split()


def check_cur_row(row):
    start, end = row["line_item_usage_start_date"], row["line_item_usage_end_date"]
    for name, value in row.items():
        want(value != "", name, "is empty")
        want(not name.endswith("_date") or AWS_TIME.fullmatch(value), name, "is no time:", value)
        want(not re.search("_(cost|rate|amount)$", name) or value is None or NUMBER.fullmatch(value), name, "is no number")
    want(row["identity_time_interval"] == f"{start[:19]}Z/{end[:19]}Z", "identity_time_interval")
    want(row["line_item_product_code"] == "AmazonSageMaker" and row["line_item_operation"] == "RunInstance", "product")
    want(re.fullmatch(r"(Train|UnusedBox):" + re.escape(row["product_instance_type"]), row["line_item_usage_type"]),
         "line_item_usage_type")
    want(row["line_item_line_item_type"] == "Usage" and row["pricing_unit"] == "Hrs", "type or unit")
    want(row["pricing_term"] in ("OnDemand", "Spot", "Reserved"), "pricing_term")
    product = D(row["line_item_usage_amount"]) * D(row["line_item_unblended_rate"])
    want(abs(product - D(row["line_item_unblended_cost"])) <= D("1.1e-9"),
         "the cost is not rate * amount")
    for name in ("product", "resource_tags", "cost_category", "discount"):
        check_flat(json.loads(row[name]))


def check_cur(header, rows, days):
    want(set(CUR) <= set(header), "there are no columns", set(CUR) - set(header))
    want(len({row["identity_line_item_id"] for row in rows}) == len(rows), "two lines have one id")
    for number, row in enumerate(rows, 2):
        try:
            check_cur_row(row)
        except Broken as broken:
            raise Broken(f"line {number}: {broken}") from None
    compare(sums(rows, lambda row: row["line_item_usage_start_date"][:10], "line_item_unblended_cost",
                 lambda row: round(D(row["line_item_usage_amount"]) * 3600),
                 lambda row: row["line_item_usage_type"].startswith("UnusedBox")), reported(days, "day"))


class Page(html.parser.HTMLParser):
    """Counts elements, and wants each closed in its turn."""
    EMPTY = {"meta"}

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.data, self.text = [], {}, [], ""

    def handle_starttag(self, tag, attrs):
        self.seen[tag] = self.seen.get(tag, 0) + 1
        attrs = dict(attrs)
        want(not {"src", "href", "xlink:href"} & attrs.keys(), tag, "loads something")
        want(not any(name.startswith("on") for name in attrs), tag, "has a script")
        if tag == "data":
            self.data.append(attrs["value"])
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.EMPTY:
            self.open.pop()

    def handle_endtag(self, tag):
        want(self.open and self.open.pop() == tag, "</" + tag + "> ends something else, line", self.getpos()[0])

    def handle_data(self, data):
        if "style" in self.open:
            want("url(" not in data and "@import" not in data, "the style loads something")
        else:
            self.text += data


def check_html(path, days):
    page = Page()
    with open(path, encoding="utf-8") as file:
        source = file.read()
    page.feed(source)
    page.close()
    total = days["total"]
    want(not page.open, "it ends within", page.open)
    want("script" not in page.seen and "img" not in page.seen and "link" not in page.seen, "it needs something else")
    want(page.seen.get("title", 0) > 1 and page.seen["caption"] == page.seen["table"] > 0, "titles and captions")
    want(page.seen["figure"] == page.seen["svg"] - source.count('class="bar"') == 2, "charts")
    want('<html lang="en">' in source and "prefers-color-scheme:dark" in source and "@media print" in source, "style")
    want(page.data[:2] == [total["cost_usd"], str(total["instance_seconds"])], "it begins with", page.data[:2])
    want(total["emulated"]["instance_seconds"] == 0 or "emulated" in page.text, "it does not say what is emulated")
    return page


def check_manual(path, export):
    with open(path, encoding="utf-8") as file:
        section = file.read().split(".Ss Exports\n")[1].split(".Ss ")[0]
    example = re.search(r"# FOCUS: .*\n((?:\w+: .*\n)+)", section).group(1)
    row = dict(line.split(": ") for line in example.splitlines())
    row |= {name: row["ListCost"] for name in ("BilledCost", "EffectiveCost", "ContractedCost")}
    row |= {"ContractedUnitPrice": row["ListUnitPrice"], "PricingUnit": "Hours", "ConsumedUnit": "Seconds"}
    check_money(row)
    exact = D(row["ListUnitPrice"]) * D(row["ConsumedQuantity"]) / 3600
    want(exact.quantize(D("1e-9"), decimal.ROUND_HALF_EVEN) == D(row["x_LedgerCost"]), "x_LedgerCost")
    for name in read_csv(export)[0]:
        want(not CUSTOM.fullmatch(name) or re.search(rf"\b{name}\b", section), "the manual does not tell", name)


def main(verb, path, *reports):
    if verb == "manual":
        check_manual(path, *reports)
        return
    reports = [read_json(report) for report in reports]
    if verb == "html":
        check_html(path, *reports)
        return
    header, rows = read_csv(path)
    want(rows, "there are no rows")
    if verb == "focus":
        check_focus(header, rows)
        check_sums(rows, *reports)
    elif verb == "spoiled":
        check_spoiled(header, rows)
    elif verb == "cur":
        check_cur(header, rows, *reports)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Broken as problem:
        sys.exit(f"{sys.argv[2]}: {problem}")
