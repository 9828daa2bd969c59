/* SPDX-License-Identifier: GPL-3.0-or-later
 * Programs that misbehave, compiled and run in the sandbox by the tests: victim MODE [ARGUMENT] [MARKER] */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <unistd.h>

static void hang(void) {
    for (;;)
        pause();
}

static void* hang_thread(void* unused) {
    hang();
    return unused;
}

static void burn(long milliseconds) {
    struct timespec start, now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    do
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < milliseconds);
}

static void touch_megabytes(long count) {
    while (count-- > 0) {
        char* page = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (page == MAP_FAILED)
            exit(9);
        memset(page, 1, 1 << 20);
    }
}

static int fill(int fd) {
    static char chunk[1 << 20];
    memset(chunk, 1, sizeof chunk);
    while (write(fd, chunk, sizeof chunk) > 0) {
    }
    printf("%s\n", strerror(errno));
    return 1;
}

/* Few enough for the limit on one file, more than the limit on all. */
static void fill_some(int fd) {
    static char chunk[1 << 20];
    memset(chunk, 1, sizeof chunk);
    for (int i = 0; i < 40; ++i)
        if (write(fd, chunk, sizeof chunk) < 0)
            exit(9);
}

/* Forks twice; the middle one ends at once, so that the grandchild belongs to process 1. */
static int detach(void) {
    pid_t middle = fork();
    if (middle != 0) {
        waitpid(middle, 0, 0);
        return 0;
    }
    setsid();
    if (fork() != 0)
        _exit(0);
    return 1;
}

static struct sockaddr_in loopback(int port) {
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

/* Answers one request; the letter says how. Its own processor time, or that of children of several kinds. */
static void serve(int client) {
    char letter = 0;
    pid_t child;
    if (read(client, &letter, 1) != 1)
        return;
    if (letter == 'b') {
        burn(200);
    } else if (letter == 'c') { /* a child that the server reaps */
        if ((child = fork()) == 0) {
            burn(200);
            _exit(0);
        }
        waitpid(child, 0, 0);
    } else if (letter == 'd' || letter == 'e') { /* a daemon, that stays or ends */
        if (detach()) {
            burn(200);
            write(client, &letter, 1);
            close(client);
            if (letter == 'd')
                hang();
            _exit(0);
        }
        return;
    } else if (letter == 's') {
        raise(SIGSEGV);
    } else if (letter == 'x') {
        exit(3);
    } else if (letter == 'f') {
        fill(1);
    } else if (letter == 'm') {
        touch_megabytes(60);
    } else if (letter == 'h') { /* no answer */
        hang();
    }
    write(client, &letter, 1);
}

/* A server at port 7000: "i" ignores SIGTERM, "q" stays silent, "d" has a daemon that ignores it. */
static int server(const char* how) {
    struct sockaddr_in address = loopback(7000);
    int one = 1, client, fd = socket(AF_INET, SOCK_STREAM, 0);
    if (strchr(how, 'i'))
        signal(SIGTERM, SIG_IGN);
    if (strchr(how, 'd') && detach()) {
        close(fd);
        signal(SIGTERM, SIG_IGN);
        hang();
    }
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(fd, (struct sockaddr*)&address, sizeof address) != 0 || listen(fd, 16) != 0)
        return 4;
    if (!strchr(how, 'q')) {
        printf("listening\n");
        fflush(stdout);
    }
    for (;;)
        if ((client = accept(fd, 0, 0)) >= 0) {
            serve(client);
            close(client);
        }
}

/* Sends each letter to the port and waits for the same letter. */
static int ask(const char* letters, int port) {
    struct sockaddr_in address = loopback(port);
    for (; *letters; ++letters) {
        char answer = 0;
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(fd, (struct sockaddr*)&address, sizeof address) != 0)
            return 5;
        write(fd, letters, 1);
        if (read(fd, &answer, 1) != 1 || answer != *letters)
            return 6;
        printf("%c", answer);
        close(fd);
    }
    return 0;
}

static const char* const left_files[] = {"/tmp/left", "/home/user/left", "/dev/shm/left"};

/* Something of every kind that could outlive a run. */
static void leave(void) {
    for (int i = 0; i < 3; ++i)
        if (close(open(left_files[i], O_WRONLY | O_CREAT, 0644)) != 0)
            printf("cannot leave %s\n", left_files[i]);
    if (shmget(7001, 4096, IPC_CREAT | 0666) < 0 || semget(7002, 1, IPC_CREAT | 0666) < 0 ||
        msgget(7003, IPC_CREAT | 0666) < 0)
        printf("cannot leave System V objects\n");
    if (syscall(SYS_mq_open, "left", O_RDWR | O_CREAT, 0600, 0) < 0)
        printf("cannot leave a message queue\n");
    struct sockaddr_un address;
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    strcpy(address.sun_path, "/tmp/left-socket");
    if (bind(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr*)&address, sizeof address) != 0)
        printf("cannot leave a socket\n");
    printf("left\n");
}

static void find_left(void) {
    struct stat info;
    for (int i = 0; i < 3; ++i)
        if (lstat(left_files[i], &info) == 0)
            printf("%s\n", left_files[i]);
    if (lstat("/tmp/left-socket", &info) == 0)
        printf("socket\n");
    if (shmget(7001, 4096, 0) >= 0 || semget(7002, 1, 0) >= 0 || msgget(7003, 0) >= 0)
        printf("System V object\n");
    if (syscall(SYS_mq_open, "left", O_RDWR, 0, 0) >= 0)
        printf("message queue\n");
}

int main(int argc, char** argv) {
    const char* mode = argc > 1 ? argv[1] : "";
    const char* argument = argc > 2 ? argv[2] : "";
    if (!strcmp(mode, "hang")) {
        for (int number = 1; number < 32; ++number)
            signal(number, SIG_IGN);
        hang();
    } else if (!strcmp(mode, "burn")) {
        burn(atol(argument));
    } else if (!strcmp(mode, "burn-detached")) {
        int ends[2];
        char byte;
        if (pipe(ends) != 0)
            return 9;
        if (detach()) {
            burn(atol(argument));
            _exit(0);
        }
        close(ends[1]);
        return read(ends[0], &byte, 1) == 0 ? 0 : 9;
    } else if (!strcmp(mode, "burn-unreaped")) {
        signal(SIGCHLD, SIG_IGN);
        if (fork() == 0) {
            burn(atol(argument));
            _exit(0);
        }
        while (wait(0) >= 0) {
        }
    } else if (!strcmp(mode, "burn-in-child")) {
        if (fork() == 0) {
            burn(atol(argument));
            _exit(0);
        }
        wait(0);
    } else if (!strcmp(mode, "leave")) {
        leave();
    } else if (!strcmp(mode, "find")) {
        find_left();
    } else if (!strcmp(mode, "survive")) {
        if (detach()) {
            signal(SIGTERM, SIG_IGN);
            signal(SIGHUP, SIG_IGN);
            hang();
        }
    } else if (!strcmp(mode, "survive-headless")) { /* only its second thread is left, and it looks ended */
        if (detach()) {
            pthread_t thread;
            pthread_create(&thread, 0, hang_thread, 0);
            syscall(SYS_exit, 0);
        }
    } else if (!strcmp(mode, "linger")) {
        if (detach())
            usleep(2000);
    } else if (!strcmp(mode, "fork-bomb")) {
        for (;;)
            fork();
    } else if (!strcmp(mode, "fork-count")) {
        int made = 0;
        while (made < 5000) {
            pid_t child = fork();
            if (child == 0)
                hang();
            if (child < 0)
                break;
            ++made;
        }
        printf("%d\n", made + 1);
        fflush(stdout);
        signal(SIGTERM, SIG_IGN);
        kill(0, SIGTERM);
        while (wait(0) > 0) {
        }
    } else if (!strcmp(mode, "allocate")) {
        touch_megabytes(atol(argument));
        hang();
    } else if (!strcmp(mode, "allocate-and-end")) {
        touch_megabytes(atol(argument));
    } else if (!strcmp(mode, "allocate-in-children")) {
        for (int child = 0; child < 6; ++child)
            if (fork() == 0) {
                touch_megabytes(atol(argument));
                hang();
            }
        hang();
    } else if (!strcmp(mode, "fill")) {
        return fill(open(argument, O_WRONLY | O_CREAT, 0644));
    } else if (!strcmp(mode, "fill-unnamed")) {
        int fd = open(argument, O_WRONLY | O_CREAT, 0644);
        unlink(argument);
        fill_some(fd);
        hang();
    } else if (!strcmp(mode, "fill-memfd")) {
        fill_some(memfd_create("x", 0));
        hang();
    } else if (!strcmp(mode, "fill-hidden")) {
        chdir(argument);
        mkdir("hidden", 0700);
        int fd = open("hidden/file", O_WRONLY | O_CREAT, 0644);
        chmod("hidden", 0);
        chmod(".", 0);
        return fill(fd);
    } else if (!strcmp(mode, "many-files")) {
        char name[64];
        chdir(argument);
        for (long i = 0; i < 1000000; ++i) {
            sprintf(name, "%ld", i);
            close(open(name, O_WRONLY | O_CREAT, 0644));
        }
    } else if (!strcmp(mode, "deep")) {
        chdir(argument);
        for (int i = 0; i < 250; ++i)
            if (mkdir("d", 0755) != 0 || chdir("d") != 0)
                return 9;
    } else if (!strcmp(mode, "print")) {
        return fill(atoi(argument));
    } else if (!strcmp(mode, "descriptors")) {
        for (int fd = 0; fd < 4096; ++fd)
            if (fcntl(fd, F_GETFD) >= 0)
                printf("%d ", fd);
    } else if (!strcmp(mode, "server")) {
        return server(argument);
    } else if (!strcmp(mode, "ask")) {
        return ask(argument, 7000);
    } else if (!strcmp(mode, "ask-port")) {
        return ask("p", atoi(argument));
    } else if (!strcmp(mode, "abstract")) {
        struct sockaddr_un address;
        memset(&address, 0, sizeof address);
        address.sun_family = AF_UNIX;
        strcpy(address.sun_path + 1, argument);
        int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        if (connect(fd, (struct sockaddr*)&address, sizeof(sa_family_t) + 1 + strlen(argument)) == 0)
            printf("connected\n");
        else
            printf("%s\n", strerror(errno));
    } else if (!strcmp(mode, "attack-init")) {
        for (int number = 1; number < 65; ++number)
            kill(1, number);
        printf("alive\n");
    } else {
        return 8;
    }
    return 0;
}
