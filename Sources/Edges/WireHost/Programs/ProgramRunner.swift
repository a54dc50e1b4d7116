import CProcess
import Glibc
import Synchronization
import WireBase
package import WireService

/// Runs programs of this machine, all of them watched by one thread.
///
/// Its thread ends when it is let go; what runs keeps it alive.
package final class ProgramRunner: Programs {
    private let mailbox: ProgramMailbox
    private let environment: Environment
    private let folder: String
    private let hold: Int32?

    /// Runs programs in a folder, unless a call names another one; those that do claimed work inherit a descriptor.
    ///
    /// The program of a container's first process reaps the orphans it is given.
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
        guard mailbox.open() else { throw ProgramFailure(.exhausted, "the system gives no more threads") }
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
        guard mailbox.open() else { throw ProgramFailure(.exhausted, "the system gives no more threads") }
        let life = StartedProgram(number: mailbox.number(), mailbox: mailbox)
        mailbox.post(.start(life.number, launch, ended), isLasting: true)
        return life
    }
}

/// A program that goes on, by its number.
private struct StartedProgram: ProgramLife {
    let number: Int
    let mailbox: ProgramMailbox

    func end(atOnce: Bool) { mailbox.post(.end(number, atOnce: atOnce)) }
}

package typealias ProgramResult = Result<ProgramOutcome, ProgramFailure>

/// Hears how a program has ended.
typealias ProgramEnded = @Sendable (ProgramResult) -> Void

/// What the thread is asked for.
enum ProgramOrder: Sendable {
    case start(Int, ProgramLaunch, ProgramEnded)
    case end(Int, atOnce: Bool)
    case stop
}

/// Where orders wait for the thread, which is started with the first of them.
final class ProgramMailbox: Sendable {
    private struct State {
        var orders: [ProgramOrder] = []
        var last = 0
        var isOpen = false
        var hasStopped = false
    }

    private let state = Mutex(State())
    /// Rung when there are orders.
    let bell: Int32 = corewire_process_bell()
    let reapsOrphans: Bool

    init(reapsOrphans: Bool) { self.reapsOrphans = reapsOrphans }

    deinit { if bell >= 0 { _ = Glibc.close(bell) } }

    func number() -> Int {
        state.withLock { state in
            state.last += 1
            return state.last
        }
    }

    /// Sees to it that the thread runs; false where the system has none left.
    func open() -> Bool {
        guard bell >= 0 else { return false }
        return state.withLock { state in
            if !state.isOpen { state.isOpen = SystemThread.start("programs") { ProgramWatch(self).run() } }
            return state.isOpen
        }
    }

    /// One that is to last is started whatever becomes of the task that starts it.
    func post(_ order: ProgramOrder, isLasting: Bool = false) {
        let refused = state.withLock { state -> ProgramOrder? in
            // A cancellation that came first has found nothing to end.
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
        _ = unsafe write(bell, &one, 8)
    }

    /// What has been ordered since.
    func take() -> [ProgramOrder] {
        var count: UInt64 = 0
        _ = unsafe read(bell, &count, 8)
        return state.withLock { state in
            defer { state.orders = [] }
            return state.orders
        }
    }

    /// Nothing is taken any more; what came last.
    func close() -> [ProgramOrder] {
        state.withLock { state in
            state.hasStopped = true
            defer { state.orders = [] }
            return state.orders
        }
    }
}
