/*
 * The report in the columns of AWS's Cost and Usage Report 2.0 that queries for
 * SageMaker training use: billing.md has none of Savings Plans, reservations and split
 * line items.
 *
 * The columns and their order are those of the table dictionary of AWS Data Exports;
 * what is AWS's own is said to be Railhead's, but for the product code and the usage
 * type, by which such queries find training.
 */

#include "daemon/billing/usage_line.h"

/* clang-format off */
static const struct usage_column columns[] = {
    { "bill_bill_type",                  COLUMN_SAME("Anniversary") },
    { "bill_billing_entity",             COLUMN_SAME("Railhead") },
    { "bill_billing_period_end_date",    COLUMN_OF(aws_month_to) },
    { "bill_billing_period_start_date",  COLUMN_OF(aws_month_from) },
    { "bill_invoice_id",                 COLUMN_NULL },
    { "bill_invoicing_entity",           COLUMN_SAME("Railhead") },
    { "bill_payer_account_id",           COLUMN_WORDS(account_id) },
    { "bill_payer_account_name",         COLUMN_WORDS(account_name) },
    { "cost_category",                   COLUMN_SAME("{}") },
    { "discount",                        COLUMN_SAME("{}") },
    { "identity_line_item_id",           COLUMN_OF(id) },
    { "identity_time_interval",          COLUMN_OF(interval) },
    { "line_item_availability_zone",     COLUMN_NULL },
    { "line_item_blended_cost",          COLUMN_OF(ledger) },
    { "line_item_blended_rate",          COLUMN_OF(hourly) },
    { "line_item_currency_code",         COLUMN_SAME("USD") },
    { "line_item_legal_entity",          COLUMN_SAME("Railhead") },
    { "line_item_line_item_description", COLUMN_OF(description) },
    { "line_item_line_item_type",        COLUMN_SAME("Usage") },
    { "line_item_net_unblended_cost",    COLUMN_OF(ledger) },
    { "line_item_net_unblended_rate",    COLUMN_OF(hourly) },
    { "line_item_operation",             COLUMN_SAME("RunInstance") },
    { "line_item_product_code",          COLUMN_SAME("AmazonSageMaker") },
    { "line_item_resource_id",           COLUMN_OF(job_arn) },
    { "line_item_tax_type",              COLUMN_NULL },
    { "line_item_unblended_cost",        COLUMN_OF(ledger) },
    { "line_item_unblended_rate",        COLUMN_OF(hourly) },
    { "line_item_usage_account_id",      COLUMN_WORDS(owner) },
    { "line_item_usage_account_name",    COLUMN_WORDS(owner) },
    { "line_item_usage_amount",          COLUMN_OF(hours) },
    { "line_item_usage_end_date",        COLUMN_OF(aws_to) },
    { "line_item_usage_start_date",      COLUMN_OF(aws_from) },
    { "line_item_usage_type",            COLUMN_OF(aws_usage_type) },
    { "pricing_currency",                COLUMN_SAME("USD") },
    { "pricing_public_on_demand_cost",   COLUMN_OF(published_ledger) },
    { "pricing_public_on_demand_rate",   COLUMN_OF(published_hourly) },
    { "pricing_rate_id",                 COLUMN_OF(sku_price) },
    { "pricing_term",                    COLUMN_OF(aws_term) },
    { "pricing_unit",                    COLUMN_SAME("Hrs") },
    { "product",                         COLUMN_OF(aws_product) },
    { "product_instance_type",           COLUMN_OF(instance_type) },
    { "product_operation",               COLUMN_SAME("RunInstance") },
    { "product_product_family",          COLUMN_SAME("ML Instance") },
    { "product_servicecode",             COLUMN_SAME("AmazonSageMaker") },
    { "product_usagetype",               COLUMN_OF(aws_usage_type) },
    { "resource_tags",                   COLUMN_OF(aws_tags) },
};
/* clang-format on */

int usage_write_cur(struct usage *usage, FILE *out, struct err *err)
{
    return usage_write_lines(usage, columns, ARRAY_SIZE(columns), out, err);
}
