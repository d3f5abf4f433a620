/*
 * Sends POST requests over TCP loopback, as many at once as there are connections:
 *
 *   load PORT CONNECTIONS MS COUNT PREFIX BODY
 *
 * to /v1/training-jobs, each "@" of BODY replaced by a name that begins with PREFIX and
 * was not used before; until MS have passed or COUNT (0: any number) are answered.
 * Connections are kept.  Decides that any answer but 200 and 201 spoils the
 * measurement. One thread and one buffer a connection: it must not be what is measured.
 */

#include "tests/bench/bench.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    CONNECTIONS_MAX = 1000,
    REQUEST_MAX = 4096,
    ANSWER_MAX = 8192
};

struct client {
    int fd;
    int64_t asked_at;
    size_t got;
    char answer[ANSWER_MAX + 1];
};

struct load {
    const char *prefix;
    const char *body;
    int epoll;
    int64_t count; /* requests to send at most */
    int64_t sent;
    int64_t answered;
    int64_t until;
    struct bench_times times;
};

static int connect_to(int64_t port)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port),
                                   .sin_addr = { htonl(INADDR_LOOPBACK) } };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int yes = 1;

    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
        bench_fail_errno("connect");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return fd;
}

/* The body with its names filled in; returns its length. */
static size_t fill_body(const struct load *load, char *out, size_t size)
{
    size_t len = 0;

    for (const char *at = load->body; *at && len < size; at++) {
        if (*at == '@')
            len += (size_t)snprintf(out + len, size - len, "%s%lld", load->prefix,
                                    (long long)load->sent);
        else
            out[len++] = *at;
    }
    if (len >= size)
        bench_fail("BODY", "too long");
    return len;
}

/* A request is far smaller than the socket's buffer, so it goes out whole. */
static void ask(struct load *load, struct client *client)
{
    char body[REQUEST_MAX];
    char request[REQUEST_MAX + 256];
    size_t body_len = fill_body(load, body, sizeof body);
    int len = snprintf(request, sizeof request,
                       "POST /v1/training-jobs HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                       "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n"
                       "%.*s",
                       body_len, (int)body_len, body);

    load->sent++;
    client->got = 0;
    client->asked_at = bench_now();
    if (send(client->fd, request, (size_t)len, MSG_NOSIGNAL) != len)
        bench_fail_errno("send");
}

/* Whether the answer is in, whole. */
static bool is_whole(struct client *client)
{
    const char *body;
    const char *length;

    client->answer[client->got] = '\0';
    body = strstr(client->answer, "\r\n\r\n");
    if (!body)
        return false;
    length = strcasestr(client->answer, "\r\nContent-Length:");
    if (!length || length > body)
        bench_fail("answer", "has no Content-Length");
    body += 4;
    return client->got
           >= (size_t)(body - client->answer) + strtoull(length + 17, NULL, 10);
}

static void check(const struct client *client)
{
    if (strncmp(client->answer, "HTTP/1.1 200 ", 13) != 0
        && strncmp(client->answer, "HTTP/1.1 201 ", 13) != 0)
        bench_fail("refused", client->answer);
}

static void hear(struct load *load, struct client *client)
{
    ssize_t got =
        read(client->fd, client->answer + client->got, ANSWER_MAX - client->got);
    int64_t now;

    if (got <= 0)
        bench_fail("connection", got ? strerror(errno) : "closed, or answer too long");
    client->got += (size_t)got;
    if (!is_whole(client))
        return;
    check(client);
    now = bench_now();
    bench_times_add(&load->times, now - client->asked_at);
    load->answered++;
    if (now < load->until && load->sent < load->count)
        ask(load, client);
}

static struct client *open_clients(struct load *load, int64_t port, size_t count)
{
    struct client *clients = xcalloc(count, sizeof *clients);

    load->epoll = epoll_create1(EPOLL_CLOEXEC);
    for (size_t i = 0; i < count; i++) {
        struct epoll_event event = { .events = EPOLLIN, .data.ptr = &clients[i] };

        clients[i].fd = connect_to(port);
        if (epoll_ctl(load->epoll, EPOLL_CTL_ADD, clients[i].fd, &event) < 0)
            bench_fail_errno("epoll");
    }
    return clients;
}

static void run(struct load *load, struct client *clients, size_t count)
{
    struct epoll_event events[CONNECTIONS_MAX];

    for (size_t i = 0; i < count && load->sent < load->count; i++)
        ask(load, &clients[i]);
    while (load->answered < load->sent) {
        int ready = epoll_wait(load->epoll, events, CONNECTIONS_MAX, 20000);

        if (ready == 0)
            bench_fail("answer", "none for 20 s");
        for (int i = 0; i < ready; i++)
            hear(load, events[i].data.ptr);
    }
}

int main(int argc, char **argv)
{
    struct load load = { 0 };
    struct cJSON *answer = json_object_new();
    struct client *clients;
    size_t count;
    int64_t began;

    if (argc != 7)
        bench_fail("usage", "load PORT CONNECTIONS MS COUNT PREFIX BODY");
    count = (size_t)bench_number("CONNECTIONS", argv[2], 1, CONNECTIONS_MAX);
    load.count = bench_number("COUNT", argv[4], 0, INT64_MAX);
    if (load.count == 0)
        load.count = INT64_MAX;
    load.prefix = argv[5];
    load.body = argv[6];
    clients = open_clients(&load, bench_number("PORT", argv[1], 1, 65535), count);
    began = bench_now();
    load.until = began + bench_number("MS", argv[3], 1, 600000) * 1000000;
    run(&load, clients, count);
    json_set_double(answer, "per_second",
                    (double)load.answered * 1e9 / (double)(bench_now() - began));
    bench_times_tell(&load.times, answer);
    bench_answer(answer);
    bench_times_clear(&load.times);
    for (size_t i = 0; i < count; i++)
        close(clients[i].fd);
    free(clients);
    return 0;
}
