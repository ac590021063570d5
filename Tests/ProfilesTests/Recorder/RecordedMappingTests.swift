// SPDX-License-Identifier: Apache-2.0

import Profiles
import Testing

/// Memory that a program maps, unmaps and moves by itself, to the page: each part is of whoever mapped it last.
struct RecordedMappingTests {
    @Test(arguments: [
        ("head", ["first": 6]), ("tail", ["first": 6]), ("middle", ["first": 5, "second": 3]),
        ("spanning", ["first": 2, "second": 0, "third": 3]), ("pieces", ["first": 4, "second": 12]),
        ("file", ["first": 5]), ("written file", ["first": 5]), ("shared", ["first": 5]), ("refused", ["first": 8]),
        ("shrunk", ["first": 3]),
        ("grown", ["first": 0, "grown": 12]), ("moved", ["first": 8, "second": 8]),
        ("moved over", ["first": 4, "second": 2]), ("left and moved", ["first": 16]),
        ("twice", ["first": 0, "second": 8]),
    ])
    func areCutWhereAPartOfThemIsTaken(scene: String, held: [String: Int]) async throws {
        let profile = try await CompiledProgram.with(Self.scenes) { try await Recorded($0, [scene]).profile() }
        for (function, size) in held { #expect(profile.bytes(through: function) == size << 20, "\(function)") }
    }

    @Test(arguments: [1, 2, 3, 4]) func areThoseOfAModelThatKnowsEachPageWhateverIsDoneToThem(seed: Int) async throws {
        let (output, profile) = try await CompiledProgram.with(Self.random) {
            let recorded = try await Recorded($0, ["\(seed)"])
            return (recorded.output, try await recorded.profile())
        }
        let lines = output.split(separator: "\n").map { $0.split(separator: " ") }
        #expect(lines.count == 4)
        for line in lines {
            let bytes = try #require(line.last.flatMap { Int($0) })
            #expect(bytes > 1 << 20)
            #expect(profile.bytes(through: String(line[0])) == bytes, "\(line[0])")
        }
    }

    /// Maps by a function a name, does something to it, and touches what is left.
    private static let scenes = """
        #define _GNU_SOURCE
        #include <fcntl.h>
        #include <string.h>
        #include <sys/mman.h>
        #include <unistd.h>
        #define M (1ul << 20)
        #define AT(place) ((place) ? MAP_FIXED : 0)
        #define MAPPED(place, size) \\
            mmap(place, (size) * M, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | AT(place), -1, 0)
        #define SITE __attribute__((noinline)) static
        static volatile int stays;
        SITE char *first(char *place, long size) { char *made = MAPPED(place, size); stays++; return made; }
        SITE char *second(char *place, long size) { char *made = MAPPED(place, size); stays++; return made; }
        SITE char *third(char *place, long size) { char *made = MAPPED(place, size); stays++; return made; }
        SITE char *grown(char *from, long size, long wanted) {
            char *made = mremap(from, size * M, wanted * M, MREMAP_MAYMOVE); stays++; return made;
        }
        static void touch(char *place, long size) { memset(place, 1, size * M); }
        int main(int count, char **words) {
            #define IS(name) (!strcmp(words[1], name))
            char *window = (char *)(1ul << 40), *p = first(window, 8), *q;
            if (IS("head")) { munmap(p, 2 * M); touch(p + 2 * M, 6); }
            if (IS("tail")) { munmap(p + 6 * M, 2 * M); touch(p, 6); }
            if (IS("middle")) { munmap(p + 2 * M, 3 * M); second(p + 2 * M, 3); touch(p, 8); }
            if (IS("spanning")) {
                second(p + 8 * M, 4), third(p + 12 * M, 4);
                munmap(p + 2 * M, 11 * M);
                touch(p, 2), touch(p + 13 * M, 3);
            }
            if (IS("pieces")) {
                munmap(p, 8 * M);
                mmap(p, 64 * M, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
                for (int i = 0; i < 16; i++) first(p + i * 4 * M, 4);
                munmap(p, 64 * M);
                first(p, 8), second(p + 4 * M, 12), touch(p, 16);
            }
            if (IS("file")) {
                mmap(p + M, 3 * M, PROT_READ, MAP_PRIVATE | MAP_FIXED, open("/proc/self/exe", O_RDONLY), 0);
                touch(p, 1), touch(p + 4 * M, 4);
            }
            if (IS("written file")) {
                int file = memfd_create("file", 0);
                if (ftruncate(file, 3 * M) != 0) return 1;
                mmap(p + M, 3 * M, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0);
                touch(p, 8);
            }
            if (IS("shared")) {
                mmap(p + M, 3 * M, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
                touch(p, 8);
            }
            if (IS("refused")) { munmap(p + 1, 8 * M); munmap(p, 0); touch(p, 8); }
            if (IS("shrunk")) { mremap(p, 8 * M, 3 * M, 0); touch(p, 3); }
            if (IS("grown")) { touch(grown(p, 8, 12), 12); }
            if (IS("moved")) {
                q = mremap(p, 8 * M, 8 * M, MREMAP_MAYMOVE | MREMAP_FIXED, p + 64 * M);
                second(p, 8), touch(p, 8), touch(q, 8);
            }
            if (IS("moved over")) {
                second(p + 64 * M, 6);
                mremap(p, 4 * M, 4 * M, MREMAP_MAYMOVE | MREMAP_FIXED, p + 64 * M);
                munmap(p + 4 * M, 4 * M), touch(p + 64 * M, 6);
            }
            if (IS("left and moved")) {
                q = mremap(p, 8 * M, 8 * M, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, 0);
                touch(p, 8), touch(q, 8);
            }
            if (IS("twice")) { second(p, 8), touch(p, 8); }
            return 0;
        }
        """

    /// Does 3,000 things by chance, and says how much of what is left each function has mapped.
    private static let random = """
        #define _GNU_SOURCE
        #include <stdio.h>
        #include <stdint.h>
        #include <stdlib.h>
        #include <string.h>
        #include <fcntl.h>
        #include <unistd.h>
        #include <sys/mman.h>
        #define PAGE 4096ul
        #define WINDOW ((char *)(1ul << 40))
        #define SITE __attribute__((noinline)) static
        enum { FREE, FIRST, SECOND, THIRD, GROWN };
        static const char *names[] = {"", "first", "second", "third", "grown"};
        static volatile int stays;
        #define MAPPED(place, pages) mmap(place, (pages) * PAGE, PROT_READ | PROT_WRITE, \\
            MAP_PRIVATE | MAP_ANONYMOUS | ((place) ? MAP_FIXED : 0), -1, 0)
        SITE char *first(char *place, long pages) { char *made = MAPPED(place, pages); stays++; return made; }
        SITE char *second(char *place, long pages) { char *made = MAPPED(place, pages); stays++; return made; }
        SITE char *third(char *place, long pages) { char *made = MAPPED(place, pages); stays++; return made; }
        SITE char *grown(char *from, long pages, long wanted) {
            char *made = mremap(from, pages * PAGE, wanted * PAGE, MREMAP_MAYMOVE); stays++; return made;
        }
        // The model: who has mapped each page.
        static struct { uintptr_t page; int owner; } model[1 << 17];
        static int *owner(char *address) {
            uintptr_t page = (uintptr_t)address / PAGE;
            size_t place = page * 0x9e3779b97f4a7c15u >> 47;
            while (model[place].page && model[place].page != page) place = (place + 1) & ((1 << 17) - 1);
            model[place].page = page;
            return &model[place].owner;
        }
        static void own(char *place, long pages, int who) {
            for (long i = 0; i < pages; i++) *owner(place + i * PAGE) = who;
        }
        static uint64_t state;
        static long below(long limit) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            return (long)((state >> 33) % (uint64_t)limit);
        }
        static void map(void) {
            int who = FIRST + below(3);
            char *place = below(4) ? WINDOW + below(2000) * PAGE : NULL;
            long pages = 16 + below(60);
            char *made = (who == FIRST ? first : who == SECOND ? second : third)(place, pages);
            if (made != MAP_FAILED) own(made, pages, who);
        }
        static void map_over(void) {
            char *place = WINDOW + below(2000) * PAGE;
            long pages = 1 + below(15);
            int file = open("/proc/self/exe", O_RDONLY);
            if (below(2)) MAPPED(place, pages);
            else mmap(place, (pages += 20) * PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0);
            close(file);
            own(place, pages, FREE);
        }
        static void unmap(void) {
            char *place = WINDOW + below(2000) * PAGE;
            long pages = 1 + below(100);
            if (munmap(place + (below(5) ? 0 : 1), pages * PAGE) == 0) own(place, pages, FREE);
        }
        static void move(void) {
            char *from = WINDOW + below(2000) * PAGE, *to = WINDOW + (3000 + below(2000)) * PAGE;
            if (below(2)) { char *other = from; from = to; to = other; }
            long pages = 1 + below(60), wanted = 1 + below((int)pages);
            int kept = below(3) == 0;
            if (kept) wanted = pages;
            char *made = mremap(from, pages * PAGE, wanted * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED | (kept ? MREMAP_DONTUNMAP : 0), to);
            if (made == MAP_FAILED) return;
            for (long i = 0; i < wanted; i++) *owner(to + i * PAGE) = *owner(from + i * PAGE);
            if (!kept) own(from, pages, FREE);
        }
        static void resize(void) {
            char *from = WINDOW + below(5000) * PAGE;
            long pages = 1 + below(60), wanted = 1 + below(120);
            int known = 0;
            for (long i = 0; i < pages; i++) known |= *owner(from + i * PAGE);
            char *made = wanted > pages ? grown(from, pages, wanted) : mremap(from, pages * PAGE, wanted * PAGE, 0);
            if (made == MAP_FAILED) return;
            if (wanted > pages) {
                own(from, pages, FREE);
                own(made, wanted, known ? GROWN : FREE);
            } else own(from + wanted * PAGE, pages - wanted, FREE);
        }
        int main(int count, char **words) {
            state = strtoul(words[1], NULL, 10);
            for (int i = 0; i < 3000; i++) {
                switch (below(8)) {
                case 0: case 1: case 2: map(); break;
                case 3: map_over(); break;
                case 4: case 5: unmap(); break;
                case 6: move(); break;
                case 7: resize(); break;
                }
            }
            long pages[5] = {0};
            for (int i = 0; i < 1 << 17; i++) {
                if (model[i].owner) *(char *)(model[i].page * PAGE) = 1;
                pages[model[i].owner]++;
            }
            for (int who = FIRST; who <= GROWN; who++) printf("%s %ld\\n", names[who], pages[who] * PAGE);
            fflush(stdout);
            _exit(0);
        }
        """
}
