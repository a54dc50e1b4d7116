import CProcess
import Glibc
import Synchronization
import WireBase
package import WireService

/// Runs programs of this machine and watches them on one thread.
///
/// The thread ends when the runner is released; running programs keep it alive.
package final class ProgramRunner: Programs {
    private let mailbox: ProgramMailbox
    private let environment: Environment
    private let folder: String
    private let hold: Int32?

    /// Creates a runner for programs in a working directory, which calls may override; programs that do claimed work
    /// inherit a descriptor.
    ///
    /// In a container's first process the runner reaps orphans.
    package init(_ environment: Environment, folder: String, hold: Int32? = nil, reapsOrphans: Bool = false) {
        self.environment = environment
        self.folder = folder
        self.hold = hold
        mailbox = ProgramMailbox(reapsOrphans: reapsOrphans && getpid() == 1)
    }

    deinit { mailbox.post(.stop) }

    package func run(_ call: ProgramCall) async throws(ProgramFailure) -> ProgramOutcome {
        var call = call
        if call.folder == nil { call.folder = folder }
        let launch = try ProgramLaunch(call, environment, hold: hold)
        guard mailbox.open() else { throw ProgramFailure(.exhausted, "no more threads can be started") }
        let number = mailbox.number()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: CheckedContinuation<ProgramResult, Never>) in
                mailbox.post(.start(number, launch) { waiter.resume(returning: $0) })
            }
        } onCancel: {
            mailbox.post(.end(number, atOnce: false))
        }
        return try result.get()
    }

    package func start(_ call: ProgramCall, ended: @escaping @Sendable (ProgramResult) -> Void) throws(ProgramFailure)
        -> any ProgramLife
    {
        var call = call
        if call.folder == nil { call.folder = folder }
        let launch = try ProgramLaunch(call, environment, hold: hold)
        guard mailbox.open() else { throw ProgramFailure(.exhausted, "no more threads can be started") }
        let life = StartedProgram(number: mailbox.number(), mailbox: mailbox)
        mailbox.post(.start(life.number, launch, ended), isLasting: true)
        return life
    }
}

/// A running program, by its number.
private struct StartedProgram: ProgramLife {
    let number: Int
    let mailbox: ProgramMailbox

    func end(atOnce: Bool) { mailbox.post(.end(number, atOnce: atOnce)) }
}

package typealias ProgramResult = Result<ProgramOutcome, ProgramFailure>

/// Receives the result of a program.
typealias ProgramEnded = @Sendable (ProgramResult) -> Void

/// An order to the thread.
enum ProgramOrder: Sendable {
    case start(Int, ProgramLaunch, ProgramEnded)
    case end(Int, atOnce: Bool)
    case stop
}

/// The queue of orders for the thread, which starts with the first order.
final class ProgramMailbox: Sendable {
    private struct State {
        var orders: [ProgramOrder] = []
        var last = 0
        var isOpen = false
        var hasStopped = false
    }

    private let state = Mutex(State())
    /// The descriptor that wakes the thread.
    let wakeup: Int32 = corewire_process_bell()
    let reapsOrphans: Bool

    init(reapsOrphans: Bool) { self.reapsOrphans = reapsOrphans }

    deinit { if wakeup >= 0 { _ = Glibc.close(wakeup) } }

    func number() -> Int {
        state.withLock { state in
            state.last += 1
            return state.last
        }
    }

    /// Starts the thread if necessary; returns false where the system has no threads left.
    func open() -> Bool {
        guard wakeup >= 0 else { return false }
        return state.withLock { state in
            if !state.isOpen { state.isOpen = SystemThread.start("programs") { ProgramWatch(self).run() } }
            return state.isOpen
        }
    }

    /// Queues an order; a lasting program starts even if its task is cancelled.
    func post(_ order: ProgramOrder, isLasting: Bool = false) {
        let refused = state.withLock { state -> ProgramOrder? in
            // A cancellation before this point had no program to end.
            if case .start = order, state.hasStopped || (!isLasting && Task.isCancelled) { return order }
            if case .stop = order, !state.isOpen { return nil }
            state.orders.append(order)
            return nil
        }
        if case .start(_, let launch, let ended)? = refused {
            ended(.failure(launch.failure(.cancelled, "was cancelled")))
            return
        }
        ring()
    }

    func ring() {
        var one: UInt64 = 1
        _ = unsafe write(wakeup, &one, 8)
    }

    /// Returns the orders since the last call.
    func dequeue() -> [ProgramOrder] {
        var count: UInt64 = 0
        _ = unsafe read(wakeup, &count, 8)
        return state.withLock { state in
            defer { state.orders = [] }
            return state.orders
        }
    }

    /// Closes the queue and returns the last orders.
    func close() -> [ProgramOrder] {
        state.withLock { state in
            state.hasStopped = true
            defer { state.orders = [] }
            return state.orders
        }
    }
}
