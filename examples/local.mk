EXTRA_DIST += \
	examples/ctr/README.md \
	examples/ctr/clicks.py \
	examples/ctr/machine.py \
	examples/ctr/train_mpi.py \
	examples/ctr/train_ps.py \
	examples/ctr-mpi/job.yaml \
	examples/ctr-mpi/prepare \
	examples/ctr-ps/job.yaml \
	examples/ctr-ps/prepare \
	examples/finetune-resume/README.md \
	examples/finetune-resume/job.yaml \
	examples/finetune-resume/prepare \
	examples/finetune-resume/run \
	examples/finetune-resume/src/finetune.py \
	examples/language-id/README.md \
	examples/language-id/job.yaml \
	examples/language-id/train.py
