EXTRA_DIST += \
	examples/language-id/README.md \
	examples/language-id/job.yaml \
	examples/language-id/train.py
