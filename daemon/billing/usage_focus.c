/*
 * The report as FOCUS 1.2 has it: the FinOps Open Cost and Usage Specification of
 * 2025-05-30, data set Cost and Usage, with every mandatory column and those of the
 * others that apply.  Columns of our own begin with x_.
 *
 * ListUnitPrice * PricingQuantity is ListCost to the last digit, as the specification
 * wants it, so the quantity's rounding is in there; x_LedgerCost is what adds up.
 */

#include "daemon/billing/usage_line.h"

/* clang-format off */
static const struct usage_column columns[] = {
    { "AvailabilityZone",          COLUMN_NULL },
    { "BilledCost",                COLUMN_OF(cost) },
    { "BillingAccountId",          COLUMN_WORDS(account_id) },
    { "BillingAccountName",        COLUMN_WORDS(account_name) },
    { "BillingCurrency",           COLUMN_SAME("USD") },
    { "BillingPeriodEnd",          COLUMN_OF(month_to) },
    { "BillingPeriodStart",        COLUMN_OF(month_from) },
    { "CapacityReservationId",     COLUMN_WORDS(reservation) },
    { "CapacityReservationStatus", COLUMN_OF(reservation_status) },
    { "ChargeCategory",            COLUMN_SAME("Usage") },
    { "ChargeClass",               COLUMN_NULL },
    { "ChargeDescription",         COLUMN_OF(description) },
    { "ChargeFrequency",           COLUMN_SAME("Usage-Based") },
    { "ChargePeriodEnd",           COLUMN_OF(to) },
    { "ChargePeriodStart",         COLUMN_OF(from) },
    { "ConsumedQuantity",          COLUMN_OF(seconds) },
    { "ConsumedUnit",              COLUMN_SAME("Seconds") },
    { "ContractedCost",            COLUMN_OF(cost) },
    { "ContractedUnitPrice",       COLUMN_OF(hourly) },
    { "EffectiveCost",             COLUMN_OF(cost) },
    { "InvoiceId",                 COLUMN_NULL },
    { "InvoiceIssuerName",         COLUMN_SAME("Railhead") },
    { "ListCost",                  COLUMN_OF(cost) },
    { "ListUnitPrice",             COLUMN_OF(hourly) },
    { "PricingCategory",           COLUMN_OF(focus_category) },
    { "PricingQuantity",           COLUMN_OF(hours) },
    { "PricingUnit",               COLUMN_SAME("Hours") },
    { "ProviderName",              COLUMN_SAME("Railhead") },
    { "PublisherName",             COLUMN_SAME("Railhead") },
    { "RegionId",                  COLUMN_NULL },
    { "RegionName",                COLUMN_NULL },
    { "ResourceId",                COLUMN_OF(job_id) },
    { "ResourceName",              COLUMN_OF(job_name) },
    { "ResourceType",              COLUMN_OF(resource_type) },
    { "ServiceCategory",           COLUMN_SAME("AI and Machine Learning") },
    { "ServiceName",               COLUMN_SAME("Railhead") },
    { "ServiceSubcategory",        COLUMN_SAME("Machine Learning") },
    { "SkuId",                     COLUMN_OF(sku) },
    { "SkuMeter",                  COLUMN_OF(meter) },
    { "SkuPriceDetails",           COLUMN_OF(details) },
    { "SkuPriceId",                COLUMN_OF(sku_price) },
    { "SubAccountId",              COLUMN_WORDS(owner) },
    { "SubAccountName",            COLUMN_WORDS(owner) },
    { "Tags",                      COLUMN_OF(tags) },
    { "x_Attempt",                 COLUMN_OF(attempt) },
    { "x_BusyPermille",            COLUMN_OF(busy_permille) },
    { "x_Emulated",                COLUMN_OF(emulated) },
    { "x_InstanceCount",           COLUMN_OF(instances) },
    { "x_InstanceType",            COLUMN_OF(instance_type) },
    { "x_IntervalKind",            COLUMN_OF(kind) },
    { "x_JobState",                COLUMN_OF(job_state) },
    { "x_LedgerCost",              COLUMN_OF(ledger) },
    { "x_LedgerRow",               COLUMN_OF(row) },
    { "x_Pool",                    COLUMN_WORDS(pool) },
    { "x_PriceAsOf",               COLUMN_WORDS(price_as_of) },
    { "x_PriceBasis",              COLUMN_OF(price_basis) },
    { "x_PriceConfidence",         COLUMN_OF(price_confidence) },
    { "x_PriceSource",             COLUMN_WORDS(price_source) },
    { "x_Pricing",                 COLUMN_OF(pricing) },
    { "x_Rounding",                COLUMN_SAME("half to even") },
    { "x_Scheduler",               COLUMN_OF(scheduler) },
    { "x_StillRunning",            COLUMN_OF(open) },
    { "x_Worker",                  COLUMN_OF(worker) },
};
/* clang-format on */

int usage_write_focus(struct usage *usage, FILE *out, struct err *err)
{
    return usage_write_lines(usage, columns, ARRAY_SIZE(columns), out, err);
}
