# From tables and figures to one page.


rule write_report:
    input:
        started("page_inputs"),
    output:
        report(LAYOUT.page, caption="../report/report.rst", category="Report"),
    log:
        LAYOUT.log("report"),
    conda:
        ENVIRONMENT
    resources:
        mem_mb=more_each_attempt(4000),
        runtime=more_each_attempt(30),
    params:
        # As in record_plan: the script reads the campaign file again.
        plan=f"plan {PLAN.digest}",
        code=code_digest("unbounded.report.page"),
        assets=report_assets(),
        script=script_code("write_report"),
    script:
        "../../scripts/write_report.py"
