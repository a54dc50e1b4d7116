import Glibc
import Synchronization
import WireBase

/// A client of a database, with a connection for writing, one for reading, and one that is told of changes.
///
/// One thread makes all calls of the library. Connections are made when they are needed, to the first server that accepts
/// writes, and replaced when they break; statements wait for that.
package final class PostgresClient: Sendable {
    private let mailbox = PostgresMailbox()
    private let thread: Mutex<SystemThread?>
    /// The channel by which sessions are recognized, and the count of what the listener has heard there.
    private let channel = "corewire_\(UInt64.random(in: .min ... .max))"
    private let news = StoreBell()

    /// Makes a client; `heard` is called on its thread with the channels that others have notified, and with none when
    /// notifications may have been missed.
    package init(
        _ settings: PostgresSettings,
        heard: @escaping @Sendable (Set<String>) -> Void = { _ in }
    ) throws(PostgresFailure) {
        try Self.check(settings, mailbox)
        let library = try PostgresLibrary.loaded.get()
        let (mailbox, channel, news) = (mailbox, channel, news)
        let thread = SystemThread("store: server") {
            Self.run(mailbox, settings, library) { channels in
                if channels.contains(channel) { news.ring() }
                heard(channels)
            }
        }
        guard thread != nil else { throw PostgresFailure(.unusable, "no thread can be started") }
        self.thread = Mutex(thread)
    }

    private static func check(_ settings: PostgresSettings, _ mailbox: PostgresMailbox) throws(PostgresFailure) {
        guard mailbox.bell >= 0 else { throw PostgresFailure(.unusable, "no descriptor is free") }
        guard let first = settings.hosts.first else { throw PostgresFailure(.unusable, "the database has no server") }
        let texts = settings.parameters(for: first).map(\.value) + settings.hosts.map(\.name)
        // libpq takes a comma for the end of a name.
        let isGood = !texts.contains { $0.contains("\0") } && !settings.hosts.contains { $0.name.contains(",") }
        guard isGood else { throw PostgresFailure(.unusable, "a setting of the database has a NUL or a comma") }
    }

    deinit { mailbox.close() }

    /// Carries out statements in one transaction; returns the rows of each.
    ///
    /// Waits for a connection, and longer than the limit while data moves, unless it trickles. Where that ends with
    /// `unanswered`, or the task is cancelled, the statements may have been carried out.
    package func carryOut(
        _ statements: [PostgresStatement],
        on line: PostgresLine,
        within limit: Duration
    ) async throws(PostgresFailure) -> [[PostgresRow]] {
        try await carryOut(statements, isReading: false, on: line, within: limit)
    }

    /// Carries out statements that change nothing, perhaps in one transaction with others.
    package func read(
        _ statements: [PostgresStatement],
        within limit: Duration
    ) async throws(PostgresFailure) -> [[PostgresRow]] {
        try await carryOut(statements, isReading: true, on: .reader, within: limit)
    }

    private func carryOut(
        _ statements: [PostgresStatement],
        isReading: Bool,
        on line: PostgresLine,
        within limit: Duration
    ) async throws(PostgresFailure) -> [[PostgresRow]] {
        let (mailbox, ticket, due) = (mailbox, mailbox.ticket, Monotonic.after(limit))
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation {
                (waiter: CheckedContinuation<PostgresBatch.Outcome, Never>) in
                let batch = PostgresBatch(ticket: ticket, statements, isReading: isReading, due: due) {
                    waiter.resume(returning: $0)
                }
                guard !mailbox.put(.carryOut(batch, line)) else {
                    // A cancellation before this had nothing to end.
                    if Task.isCancelled { _ = mailbox.put(.forget(ticket)) }
                    return
                }
                waiter.resume(returning: .failure(PostgresFailure(.unusable, "the store is closed")))
            }
        } onCancel: {
            _ = mailbox.put(.forget(ticket))
        }
        return try result.get()
    }

    /// Carries out one statement that returns rows.
    package func rows(
        _ statement: PostgresStatement,
        on line: PostgresLine,
        within limit: Duration
    ) async throws(PostgresFailure) -> [PostgresRow] {
        try await carryOut([statement], on: line, within: limit).first ?? []
    }

    /// Whether each connection has a session of its own in the server, also between transactions.
    ///
    /// Not so behind a pooler that lends sessions for single transactions. A notification for the idle listener shows
    /// it, whatever the size of the pool and however busy it is: the pooler has no connection to which to pass it, or
    /// passes it to that of another client. Where it is late, it arrives before the next answer at the latest.
    ///
    /// Where that cannot be asked, they are taken for sessions: a program whose notification waits for a standby that is
    /// away keeps all others of the server waiting.
    package func hasSessions(within limit: Duration) async throws(PostgresFailure) -> Bool {
        // Once more, as the listener's connection may have been replaced meanwhile.
        for _ in 0..<2 {
            let count = news.count ?? 0
            _ = try await rows(PostgresStatement("LISTEN \(channel)"), on: .listener, within: limit)
            let isNotified = try await notify(within: limit)
            if isNotified { await news.wait(after: count, atMost: .seconds(1)) }
            _ = try await rows(PostgresStatement("SELECT 1"), on: .listener, within: limit)
            let isHeard = news.count != count
            _ = try await rows(PostgresStatement("UNLISTEN \(channel)"), on: .listener, within: limit)
            if isHeard || !isNotified { return true }
        }
        return false
    }

    /// Notifies the listener; returns whether the server did so at once.
    private func notify(within limit: Duration) async throws(PostgresFailure) -> Bool {
        let patience = PostgresStatement("SELECT set_config('lock_timeout', '500ms', true)")
        do throws(PostgresFailure) {
            _ = try await carryOut([patience, PostgresStatement("NOTIFY \(channel)")], on: .writer, within: limit)
            return true
        } catch  where error.state == "55P03" {
            return false
        }
    }

    /// Runs tasks on the client's thread, for those that do little but wait for the database.
    var executor: any TaskExecutor { mailbox }

    /// Has the statements that are under way or wait end by a time of the monotonic clock, as if that were their limit.
    package func hasten(by end: UInt64) { _ = mailbox.put(.hasten(end)) }

    /// Listens to a channel from now on.
    package func listen(to channel: String) { _ = mailbox.put(.listen(channel: channel)) }

    /// Closes the connections; returns when the thread has ended, with what the encryption has kept for it.
    ///
    /// A process that exits meanwhile would free the same data.
    package func close() async {
        mailbox.close()
        await mailbox.ended.waitIgnoringCancellation()
        // The thread has ended its work, so this does not wait long.
        if let thread = thread.withLock({ $0.take() }) { thread.join() }
    }

    // MARK: The thread

    private static func run(
        _ mailbox: PostgresMailbox,
        _ settings: PostgresSettings,
        _ library: PostgresLibrary,
        _ heard: @escaping @Sendable (Set<String>) -> Void
    ) {
        var connections = PostgresLine.allCases.map { line in
            PostgresConnection(line, settings, library, mailbox, heard: heard)
        }
        while true {
            let (orders, isClosing) = mailbox.take()
            for order in orders { obey(order, &connections, mailbox) }
            if isClosing { break }
            let now = Monotonic.now
            agree(&connections)
            for index in connections.indices {
                connections[index].pass(now)
                connections[index].send()
            }
            wait(mailbox, &connections)
        }
        for order in mailbox.end() { obey(order, &connections, mailbox) }
        for index in connections.indices { connections[index].close() }
        mailbox.ended.fire()
    }

    /// Has all connections be to one server, also where a former primary still accepts writes, or two were promoted, or
    /// the end of a connection to a former process was not told.
    private static func agree(_ connections: inout [PostgresConnection]) {
        // Of two as new as each other, that of the writer.
        let newest = connections.indices.reduce(0) { connections[$1].isNewer(than: connections[$0]) ? $1 : $0 }
        let (server, host) = (connections[newest].server, connections[newest].host)
        for index in connections.indices {
            if let server { connections[index].leave(for: server, at: host) }
            guard let arrived = connections[index].takeArrival() else { continue }
            for other in connections.indices { connections[other].prefer(arrived) }
        }
    }

    private static func obey(
        _ order: PostgresMailbox.Order,
        _ connections: inout [PostgresConnection],
        _ mailbox: PostgresMailbox
    ) {
        switch order {
        case .carryOut(let batch, let line): connections[line.rawValue].add(batch)
        case .forget(let ticket):
            for index in connections.indices { connections[index].forget(ticket) }
        case .hasten(let end):
            for index in connections.indices { connections[index].hasten(end) }
        case .listen(let channel): connections[PostgresLine.listener.rawValue].listen(to: channel)
        case .begun(let line, let attempt, let handle): connections[line.rawValue].begun(attempt, handle)
        case .run(let job): unsafe job.runSynchronously(on: mailbox.asUnownedTaskExecutor())
        }
    }

    /// Waits for the bell, the servers or the time, and lets the connections proceed.
    private static func wait(_ mailbox: PostgresMailbox, _ connections: inout [PostgresConnection]) {
        var polled = [pollfd(fd: mailbox.bell, events: Int16(POLLIN), revents: 0)]
        for connection in connections {
            let (descriptor, writes) = connection.interest ?? (-1, false)
            polled.append(pollfd(fd: descriptor, events: Int16(writes ? POLLIN | POLLOUT : POLLIN), revents: 0))
        }
        let due = connections.map(\.due).min() ?? Monotonic.never
        let now = Monotonic.now
        var pause: CInt = due == Monotonic.never ? -1 : CInt(min(60_000, (max(due, now) - now + 999_999) / 1_000_000))
        if !mailbox.rest() { pause = 0 }
        let count = unsafe poll(&polled, nfds_t(polled.count), pause)
        mailbox.rise(isRung: count > 0 && polled[0].revents != 0)
        guard count > 0 else { return }
        for (index, entry) in polled.dropFirst().enumerated() where entry.revents != 0 {
            connections[index].proceed(isWritable: entry.revents & Int16(POLLOUT) != 0)
        }
    }
}
