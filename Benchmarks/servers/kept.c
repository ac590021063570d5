// SPDX-License-Identifier: Apache-2.0
// A server whose memory is known: what it holds for a request, and what it keeps, is in the path.
//
//   kept PORT [WORKERS [count]]
//   GET /keep/BYTES   keeps this much for good, and answers "ok"
//   GET /whole/BYTES  makes a body of this size, writes it, and frees it
//   GET /pieces/BYTES writes a body of this size from one buffer
//   POST /            reads the body whole before it answers; with `count`, piece by piece
#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PIECE 65536

static char piece[PIECE];
static int counts;

static void put(int client, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t sent = send(client, bytes, count, MSG_NOSIGNAL);
        if (sent <= 0) return;
        bytes += sent;
        count -= (size_t)sent;
    }
}

static void begin(int client, size_t count) {
    char head[128];
    int length = snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n", count);
    put(client, head, (size_t)length);
}

// Pages of its own, so that what is kept is known to the page.
static char *pages(size_t count) {
    char *bytes = mmap(NULL, count ? count : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bytes == MAP_FAILED) exit(3);
    memset(bytes, 1, count);
    return bytes;
}

static void upload(int client, char *head, size_t got, size_t count) {
    char *end = strstr(head, "\r\n\r\n"), *body = pages(counts ? PIECE : count);
    size_t have = got - (size_t)(end + 4 - head);
    if (have > count) have = count;
    if (!counts) memcpy(body, end + 4, have);
    while (have < count) {
        ssize_t more = counts ? recv(client, body, PIECE, 0) : recv(client, body + have, count - have, 0);
        if (more <= 0) break;
        have += (size_t)more;
    }
    begin(client, 2);
    put(client, "ok", 2);
    munmap(body, counts ? PIECE : count);
}

static void *serve(void *argument) {
    int client = (int)(long)argument;
    char head[4096] = "";
    size_t got = 0, count = 0;
    while (!strstr(head, "\r\n\r\n") && got < sizeof head - 1) {
        ssize_t more = recv(client, head + got, sizeof head - 1 - got, 0);
        if (more <= 0) break;
        got += (size_t)more;
        head[got] = 0;
    }
    char *length = strcasestr(head, "content-length:");
    if (sscanf(head, "GET /keep/%zu", &count) == 1) {
        pages(count);
        begin(client, 2);
        put(client, "ok", 2);
    } else if (sscanf(head, "GET /whole/%zu", &count) == 1) {
        char *body = pages(count);
        begin(client, count);
        put(client, body, count);
        munmap(body, count);
    } else if (sscanf(head, "GET /pieces/%zu", &count) == 1) {
        begin(client, count);
        for (size_t rest = count; rest > 0; rest -= rest < PIECE ? rest : PIECE) put(client, piece, rest < PIECE ? rest : PIECE);
    } else if (!strncmp(head, "POST", 4) && length && sscanf(length + 15, "%zu", &count) == 1) {
        upload(client, head, got, count);
    }
    close(client);
    return NULL;
}

int main(int count, char **arguments) {
    if (count < 2) return 64;
    signal(SIGCHLD, SIG_DFL);
    int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(arguments[1]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 512)) return 1;
    memset(piece, 1, sizeof piece);
    int workers = count > 2 ? atoi(arguments[2]) : 0;
    counts = count > 3;
    for (int worker = 0; worker < workers; worker++) {
        if (fork() == 0) { workers = 0; break; }
    }
    if (workers > 0) for (;;) pause();
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, 64 << 10);
    for (;;) {
        int client = accept(listener, NULL, NULL);
        pthread_t thread;
        if (client >= 0 && pthread_create(&thread, &attributes, serve, (void *)(long)client)) close(client);
    }
}
