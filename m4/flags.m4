# RAILHEAD_TRY_FLAGS(VARIABLE, FLAGS, [LINK])
# Adds to VARIABLE each of FLAGS that the compiler takes without a warning; with LINK, that the linker takes.
# The program tried includes a header, because _FORTIFY_SOURCE complains only from within one.
AC_DEFUN([RAILHEAD_TRY_FLAGS],
[AC_LANG_PUSH([C])
for railhead_flag in $2; do
  railhead_saved_CFLAGS=$CFLAGS
  CFLAGS="$CFLAGS -Werror $railhead_flag"
  AC_MSG_CHECKING([whether $CC takes $railhead_flag])
  m4_if([$3], [LINK], [AC_LINK_IFELSE], [AC_COMPILE_IFELSE])(
    [AC_LANG_PROGRAM([[#include <string.h>]], [[]])],
    [AC_MSG_RESULT([yes]); $1="$$1 $railhead_flag"],
    [AC_MSG_RESULT([no])])
  CFLAGS=$railhead_saved_CFLAGS
done
AC_LANG_POP([C])
AC_SUBST([$1])])

# RAILHEAD_NEED(VARIABLE, MODULE, DEBIAN-PACKAGE)
# As PKG_CHECK_MODULES; when the module is missing, the message says what to install.
AC_DEFUN([RAILHEAD_NEED],
[PKG_CHECK_MODULES([$1], [$2], [],
  [AC_MSG_ERROR([$2 is missing: $$1[]_PKG_ERRORS
On Debian and Ubuntu: apt-get install $3])])])
