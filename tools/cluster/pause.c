/* Holds namespaces open: of a pod, and of a whole node. As the first process of its namespace it is handed
 * every orphan; ignoring SIGCHLD lets the kernel clear them away. */
#include <signal.h>
#include <unistd.h>

static void leave(int number) {
  (void)number;
  _exit(0);
}

int main(void) {
  signal(SIGCHLD, SIG_IGN);
  signal(SIGINT, leave);
  signal(SIGTERM, leave);
  for (;;) pause();
}
