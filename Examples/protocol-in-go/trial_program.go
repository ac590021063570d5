// SPDX-License-Identifier: Apache-2.0

// A trial program in Go: what docs/trial-protocol.md says, with Go's standard library alone.
//
//	CGO_ENABLED=0 go build -o go-trials . && fetchbench try --program ./go-trials
//	fetchbench run --program ./go-trials --mode go-read,go-stream --asset 16MiB
package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

const (
	piece         = 64 << 10
	clockMono     = 1
	clockCPU      = 2
	deathSignal   = 1
	noHugePages   = 41
	usageMistake  = 64
	settledAfter  = 6 * time.Millisecond
	settledAtMost = 300 * time.Millisecond
)

// The documents, as far as version 1 of the protocol has them.

type request struct {
	Version     int    `json:"version"`
	Mode        string `json:"mode"`
	Render      string `json:"render"`
	WarmupURL   string `json:"warmupURL"`
	URL         string `json:"url"`
	WarmsTarget bool   `json:"warmsTarget"`
	Directory   string `json:"directory"`
	Verify      string `json:"verification"`
	IdleSeconds int    `json:"idleTimeoutSeconds"`
	Planted     int    `json:"plantedByteCount"`
}

type memory struct {
	Time         int64 `json:"time_ns"`
	Resident     int64 `json:"resident_bytes"`
	Anonymous    int64 `json:"anonymous_bytes"`
	File         int64 `json:"file_bytes"`
	Shmem        int64 `json:"shmem_bytes"`
	Swapped      int64 `json:"swapped_bytes"`
	Peak         int64 `json:"peak_resident_bytes"`
	Proportional int64 `json:"proportional_bytes,omitempty"`
	Unique       int64 `json:"unique_bytes,omitempty"`
	MinorFaults  int64 `json:"minor_faults"`
	MajorFaults  int64 `json:"major_faults"`
	Threads      int64 `json:"threads"`
	CPU          int64 `json:"cpu_ns"`
}

type mark struct {
	Memory memory `json:"memory"`
}

type peak struct {
	Resident   int64  `json:"resident_bytes"`
	Source     string `json:"source"`
	ErrorBound int64  `json:"error_bound_bytes"`
}

type phase struct {
	Name        string `json:"phase"`
	Start       int64  `json:"start_ns"`
	End         int64  `json:"end_ns"`
	CPU         int64  `json:"cpu_ns"`
	StartShared int64  `json:"start_shared_bytes"`
	Peak        peak   `json:"peak"`
	EndMark     mark   `json:"end"`
}

type body struct {
	Bytes     int64  `json:"bytes"`
	SHA256    string `json:"sha256,omitempty"`
	VerifyCPU int64  `json:"verification_cpu_ns"`
	// The reference that keeps it alive until it is released.
	content []byte
}

type failure struct {
	Phase    string `json:"phase"`
	Code     string `json:"code"`
	Detail   string `json:"detail"`
	Rejected bool   `json:"rejected"`
}

type allocator struct {
	Name          string            `json:"name"`
	Configuration map[string]string `json:"configuration"`
}

type report struct {
	Version     int       `json:"version"`
	Allocator   allocator `json:"allocator"`
	Exactness   string    `json:"exactness"`
	NoHugePages bool      `json:"huge_pages_disabled"`
	Baseline    *mark     `json:"baseline,omitempty"`
	Phases      []phase   `json:"phases"`
	Settled     *mark     `json:"settled,omitempty"`
	Purged      *mark     `json:"purged,omitempty"`
	Body        *body     `json:"body,omitempty"`
	Failure     *failure  `json:"failure,omitempty"`
}

type mode struct {
	Name           string   `json:"name"`
	Summary        string   `json:"summary"`
	Caveat         string   `json:"caveat,omitempty"`
	Schemes        []string `json:"schemes"`
	YieldsBody     bool     `json:"yields_body"`
	Abilities      []string `json:"abilities"`
	HashesOnTheWay bool     `json:"hashes_on_the_way"`
	fetch          func(request, string, string) (*body, error)
}

// Go's heap is its own: no preloaded library replaces it, and the harness does not compare it with another allocator.
var ownAllocator = allocator{Name: "go", Configuration: map[string]string{"GOGC": "100"}}

const caveat = "Go's heap is collected before the baseline and after the release, not in between"

var modes = []mode{
	{Name: "none", Summary: "no fetch at all: the floor of Go itself", fetch: fetchNothing},
	{Name: "go-read", Summary: "net/http, io.ReadAll: the whole body as []byte", Caveat: caveat, YieldsBody: true, fetch: fetchWhole},
	{Name: "go-stream", Summary: "net/http, 64 KiB at a time into a file", Caveat: caveat, HashesOnTheWay: true, fetch: fetchInPieces},
}

// Fetching.

var client = &http.Client{Transport: &http.Transport{DisableCompression: true}}

type statusError int

func (status statusError) Error() string { return fmt.Sprintf("status %d", int(status)) }

func opened(method, url string, idle int) (*http.Response, error) {
	asked, err := http.NewRequest(method, url, nil)
	if err != nil {
		return nil, err
	}
	asked.Header.Set("Accept-Encoding", "identity")
	client.Transport.(*http.Transport).ResponseHeaderTimeout = time.Duration(idle) * time.Second
	answer, err := client.Do(asked)
	if err == nil && answer.StatusCode >= 400 {
		answer.Body.Close()
		return nil, statusError(answer.StatusCode)
	}
	return answer, err
}

func fetchNothing(request, string, string) (*body, error) { return nil, nil }

func fetchWhole(asked request, url, _ string) (*body, error) {
	answer, err := opened("GET", url, asked.IdleSeconds)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	return &body{Bytes: int64(len(content)), content: content}, err
}

func fetchInPieces(asked request, url, destination string) (*body, error) {
	answer, err := opened("GET", url, asked.IdleSeconds)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	file, err := os.Create(destination)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	hash := sha256.New()
	count, err := io.CopyBuffer(io.MultiWriter(file, hash), answer.Body, make([]byte, piece))
	return &body{Bytes: count, SHA256: hex.EncodeToString(hash.Sum(nil))}, err
}

// Readings at marks, made in existing buffers, so that none of them grows the heap.

var reader = bufio.NewReaderSize(nil, 4096)

// Lines of /proc such as "VmRSS:  123 kB", in bytes.
func fields(path string, wanted map[string]*int64) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	reader.Reset(file)
	for {
		line, err := reader.ReadSlice('\n')
		if err != nil {
			return nil
		}
		name, rest, found := strings.Cut(string(line), ":")
		target := wanted[name]
		if !found || target == nil {
			continue
		}
		words := strings.Fields(rest)
		number, _ := strconv.ParseInt(words[0], 10, 64)
		if len(words) > 1 && words[1] == "kB" {
			number *= 1024
		}
		*target += number
	}
}

func clock(which uintptr) int64 {
	var now syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, which, uintptr(unsafe.Pointer(&now)), 0)
	return now.Nano()
}

func takeMark() mark {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	found := memory{Time: clock(clockMono), CPU: clock(clockCPU), MinorFaults: usage.Minflt, MajorFaults: usage.Majflt}
	fields("/proc/self/status", map[string]*int64{
		"VmRSS": &found.Resident, "RssAnon": &found.Anonymous, "RssFile": &found.File, "RssShmem": &found.Shmem,
		"VmSwap": &found.Swapped, "VmHWM": &found.Peak, "Threads": &found.Threads})
	fields("/proc/self/smaps_rollup", map[string]*int64{
		"Pss": &found.Proportional, "Private_Clean": &found.Unique, "Private_Dirty": &found.Unique})
	return mark{found}
}

// The resident and the shared bytes of statm.
func statm() (int64, int64) {
	content, _ := os.ReadFile("/proc/self/statm")
	words := strings.Fields(string(content))
	resident, _ := strconv.ParseInt(words[1], 10, 64)
	shared, _ := strconv.ParseInt(words[2], 10, 64)
	size := int64(os.Getpagesize())
	return resident * size, shared * size
}

func highWaterMark() (value int64) {
	fields("/proc/self/status", map[string]*int64{"VmHWM": &value})
	return value
}

// exact where statm agrees with smaps_rollup.
func exactness() string {
	var rollup int64
	if fields("/proc/self/smaps_rollup", map[string]*int64{"Rss": &rollup}) != nil {
		return "unknown"
	}
	for try := 0; try < 5; try++ {
		before, _ := statm()
		rollup = 0
		fields("/proc/self/smaps_rollup", map[string]*int64{"Rss": &rollup})
		after, _ := statm()
		if before == rollup && after == rollup {
			return "exact"
		}
	}
	return "unknown"
}

// How much the kernel's mark can miss: three counters, in batches of max(32, 2 * CPUs) pages on each CPU.
func errorBound() int64 {
	content, _ := os.ReadFile("/sys/devices/system/cpu/possible")
	_, last, found := strings.Cut(strings.TrimSpace(string(content)), "-")
	count := 1
	if found {
		number, _ := strconv.Atoi(last)
		count = number + 1
	}
	batch := 2 * count
	if batch < 32 {
		batch = 32
	}
	return int64(3 * (batch - 1) * count * os.Getpagesize())
}

// Runs a part between two marks: the peak begins anew, then the clocks; at the end the clocks, the peak, the rest.
func during(name string, into *report, part func() error) error {
	isReset := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) == nil
	before := highWaterMark()
	startResident, shared := statm()
	cpu, start := clock(clockCPU), clock(clockMono)
	err := part()
	end, endCPU := clock(clockMono), clock(clockCPU)
	if err != nil {
		into.Failure = explained(name, err)
		return err
	}
	last, _ := statm()
	highest := highWaterMark()
	found := peak{max(highest, last), "kernel_high_water_mark", errorBound()}
	if !isReset && highest > before {
		found.Source = "kernel_high_water_mark_without_reset"
	} else if !isReset {
		exact := max(startResident, last)
		found = peak{exact, "exact_readings", max(0, highest-exact)}
	}
	into.Phases = append(into.Phases, phase{name, start, end, endCPU - cpu, shared, found, takeMark()})
	return nil
}

func max(one, other int64) int64 {
	if one > other {
		return one
	}
	return other
}

// A failure in the words of the protocol, without paths and URLs.
func explained(phase string, err error) *failure {
	code, detail := "other", "an error of Go's net/http"
	var status statusError
	var timeout net.Error
	switch {
	case errors.As(err, &status):
		code, detail = "http_status", status.Error()
	case errors.Is(err, io.ErrUnexpectedEOF):
		code, detail = "truncated_body", "the body is shorter than promised"
	case errors.Is(err, syscall.ECONNREFUSED):
		code, detail = "connection_refused", "nobody listens there"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF):
		code, detail = "connection_lost", "the server closed the connection"
	case errors.As(err, &timeout) && timeout.Timeout():
		code, detail = "idle_timeout", "no answer came in time"
	}
	return &failure{phase, code, detail, false}
}

// A trial.

func trial(asked request, fetch func(request, string, string) (*body, error)) report {
	_, _, refused := syscall.Syscall6(syscall.SYS_PRCTL, noHugePages, 1, 0, 0, 0, 0)
	syscall.Syscall6(syscall.SYS_PRCTL, deathSignal, uintptr(syscall.SIGKILL), 0, 0, 0, 0)
	made := report{
		Version: asked.Version, Allocator: ownAllocator, Exactness: exactness(), NoHugePages: refused == 0,
		Phases: make([]phase, 0, 4)}
	if err := warmUp(asked, fetch); err != nil {
		made.Failure = explained("warmup", err)
		return made
	}
	baseline := takeMark()
	made.Baseline = &baseline
	var held *body
	var planted []byte
	parts := []struct {
		name string
		part func() error
	}{
		{"fetch", func() (err error) {
			planted = filled(asked.Planted)
			held, err = fetch(asked, asked.URL, asked.Directory+"/fetched.body")
			return err
		}},
		{"hold", func() error { made.Body = verified(asked, held); settle(); return nil }},
		{"render", func() error { return nil }},
		{"release", func() error {
			if held != nil {
				held.content = nil
			}
			runtime.KeepAlive(planted)
			held, planted = nil, nil
			debug.FreeOSMemory()
			return nil
		}},
	}
	for _, one := range parts {
		if during(one.name, &made, one.part) != nil {
			return made
		}
	}
	settle()
	settled := takeMark()
	debug.FreeOSMemory()
	purged := takeMark()
	made.Settled, made.Purged = &settled, &purged
	return made
}

// Everything once with 1 KiB, every reading once, and a collection, so that growth counts from a heap that stands still.
func warmUp(asked request, fetch func(request, string, string) (*body, error)) error {
	warm, err := fetch(asked, asked.WarmupURL, asked.Directory+"/warmup.body")
	if err != nil {
		return err
	}
	verified(asked, warm)
	if asked.WarmsTarget && warm != nil {
		if answer, err := opened("HEAD", asked.URL, asked.IdleSeconds); err == nil {
			answer.Body.Close()
		}
	}
	rehearsal := report{Phases: make([]phase, 0, 4)}
	for count := 0; count < 3; count++ {
		during("warmup", &rehearsal, func() error { return nil })
		debug.FreeOSMemory()
		settle()
	}
	return nil
}

// Waits until the resident size stands still.
func settle() {
	begin := time.Now()
	last, since := int64(0), begin
	for time.Since(begin) < settledAtMost && time.Since(since) < settledAfter {
		if now, _ := statm(); now != last {
			last, since = now, time.Now()
		}
		time.Sleep(time.Millisecond)
	}
}

func filled(count int) []byte {
	planted := make([]byte, count)
	for index := range planted {
		planted[index] = 1
	}
	return planted
}

func verified(asked request, held *body) *body {
	if held == nil {
		return nil
	}
	start := clock(clockCPU)
	if asked.Verify == "sha256" && held.SHA256 == "" {
		hash := sha256.Sum256(held.content)
		held.SHA256 = hex.EncodeToString(hash[:])
	}
	return &body{Bytes: held.Bytes, SHA256: held.SHA256, VerifyCPU: clock(clockCPU) - start}
}

// The program.

func describe() any {
	for index := range modes {
		modes[index].Schemes, modes[index].Abilities = []string{"http"}, []string{}
	}
	return map[string]any{
		"protocols": []int{1, 1}, "allocator": ownAllocator, "modes": modes,
		"render_models": []map[string]any{{
			"name": "none", "summary": "decodes nothing and keeps the body or its file", "needs_body": false,
			"environment": map[string]string{}}},
	}
}

func refuse(words string) {
	fmt.Fprintln(os.Stderr, "error: "+words)
	os.Exit(usageMistake)
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == "--describe" {
		json.NewEncoder(os.Stdout).Encode(describe())
		return
	}
	if len(os.Args) > 1 {
		refuse("it takes no argument but --describe; fetchbench run starts trials")
	}
	var asked request
	if json.NewDecoder(os.Stdin).Decode(&asked) != nil {
		refuse("standard input holds no trial; fetchbench run starts trials")
	}
	if asked.Version != 1 {
		refuse(fmt.Sprintf("the trial is in version %d of the protocol, and this program speaks 1", asked.Version))
	}
	for _, one := range modes {
		if one.Name == asked.Mode && asked.Render == "none" {
			json.NewEncoder(os.Stdout).Encode(trial(asked, one.fetch))
			return
		}
	}
	refuse("this program has no mode " + asked.Mode + " or no render model " + asked.Render)
}
