# Moves the data of a job, so that the worker beside it links and holds no more than it must.

noinst_LIBRARIES += src/stage/libstage.a
src_stage_libstage_a_SOURCES = \
	src/stage/copy.c src/stage/copy.h \
	src/stage/feed.c src/stage/feed.h \
	src/stage/kept.c src/stage/kept.h \
	src/stage/listing.c src/stage/listing.h \
	src/stage/manifest.c src/stage/manifest.h \
	src/stage/move.c src/stage/move.h \
	src/stage/objects.c src/stage/objects.h \
	src/stage/order.c src/stage/order.h \
	src/stage/pour.c src/stage/pour.h \
	src/stage/readers.c src/stage/readers.h \
	src/stage/record_io.c src/stage/record_io.h \
	src/stage/say.c src/stage/say.h \
	src/stage/stage.c src/stage/stage.h \
	src/stage/verb_checkpoints.c \
	src/stage/verb_in.c \
	src/stage/verb_out.c \
	src/stage/verb_pipe.c \
	src/stage/walk.c src/stage/walk.h

pkglibexec_PROGRAMS += railhead-stage
railhead_stage_SOURCES = src/stage/main.c
railhead_stage_LDADD = src/stage/libstage.a $(words) $(heavy_LIBS)
