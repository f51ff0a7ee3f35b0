// Fibers: stacks of our own, and the switch from one to another without a system call.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#if !defined(__x86_64__) && !defined(CLEW_UCONTEXT)
#define CLEW_UCONTEXT  // other CPUs: correct, but every switch is a system call
#endif
#ifdef CLEW_UCONTEXT
#include <ucontext.h>
#endif

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace emulated {

const size_t GUARD_BYTES = 4096;  // below every stack, so that an overflow is a fault and not a mystery
#ifdef __SANITIZE_ADDRESS__
const size_t STACK_BYTES = 512 << 10;
#else
const size_t STACK_BYTES = 256 << 10;
#endif

struct Fiber {
    void* pointer = nullptr;  // its stack pointer while it sleeps
    char* bottom = nullptr;
    size_t size = 0;
    void* fake_stack = nullptr;  // of AddressSanitizer
#ifdef CLEW_UCONTEXT
    ucontext_t context;
#endif
};

#ifndef CLEW_UCONTEXT
extern "C" void clew_switch_stack(void** save, void* next);
asm(R"(
    .text
    .globl clew_switch_stack
    .hidden clew_switch_stack
    .type clew_switch_stack, @function
clew_switch_stack:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size clew_switch_stack, .-clew_switch_stack
)");
#endif

// A stack for a fiber; null where there is no memory for it.
inline Fiber* new_fiber() {
    void* memory = mmap(nullptr, GUARD_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    mprotect(memory, GUARD_BYTES, PROT_NONE);
    Fiber* fiber = new Fiber;
    fiber->bottom = static_cast<char*>(memory) + GUARD_BYTES;
    fiber->size = STACK_BYTES;
    return fiber;
}

// Forget AddressSanitizer's marks on the upper end of a stack: frames that never returned have left theirs there.
inline void unfence(Fiber* fiber, size_t bytes) {
#ifdef __SANITIZE_ADDRESS__
    __asan_unpoison_memory_region(fiber->bottom + fiber->size - bytes, bytes);
#else
    (void)fiber, (void)bytes;
#endif
}

// Make a fiber ready to begin with `entry`, which never returns. `number` moves the frames of different fibers to
// different cache sets: stacks are powers of two apart.
inline void prepare(Fiber* fiber, void (*entry)(), unsigned number) {
    unfence(fiber, 8192);  // the frames that start a fiber never return
    const size_t shift = (number % 32) * 128;
#ifndef CLEW_UCONTEXT
    void** top = reinterpret_cast<void**>(fiber->bottom + fiber->size - shift - 64);
    *--top = nullptr;  // where a caller's address would be: the stack is aligned as after a call
    *--top = reinterpret_cast<void*>(entry);
    for (int k = 0; k < 6; k++) *--top = nullptr;
    fiber->pointer = top;
#else
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->bottom;
    fiber->context.uc_stack.ss_size = fiber->size - shift;
    fiber->context.uc_link = nullptr;
    makecontext(&fiber->context, entry, 0);
#endif
}

// After every switch, on the stack that now runs: `from` is where the switch began.
inline void arrived(Fiber* self, Fiber* from) {
#ifdef __SANITIZE_ADDRESS__
    const void* bottom;
    size_t size;
    __sanitizer_finish_switch_fiber(self ? self->fake_stack : nullptr, &bottom, &size);
    if (from && !from->bottom) {  // the stack of the operating system's thread
        from->bottom = static_cast<char*>(const_cast<void*>(bottom));
        from->size = size;
    }
#else
    (void)self, (void)from;
#endif
}

// Sleep, and wake `next`. A fiber that is `dying` is never woken again.
inline void switch_fiber(Fiber* self, Fiber* next, bool dying) {
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(dying ? nullptr : &self->fake_stack, next->bottom, next->size);
#else
    (void)dying;
#endif
#ifndef CLEW_UCONTEXT
    clew_switch_stack(&self->pointer, next->pointer);
#else
    swapcontext(&self->context, &next->context);
#endif
    arrived(self, nullptr);
}

}  // namespace emulated
