dist_man_MANS = \
	man/jobctl.1 \
	man/railhead-api.7 \
	man/railhead-billing.7 \
	man/railhead-instance.5 \
	man/railhead-job.5 \
	man/railhead-stage.8 \
	man/railhead-worker.8 \
	man/railhead.yaml.5 \
	man/railheadd.8
