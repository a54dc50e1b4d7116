import WireBase

/// One connection of a client: being made, in use, or waiting for the next attempt.
struct PostgresConnection {
    private enum Phase {
        case resting(until: UInt64)
        /// A thread of its own looks up the server's name.
        case begun(due: UInt64)
        case connecting(PostgresHandle, isWriting: Bool, due: UInt64)
        /// Asks whether the server accepts writes.
        case checking(PostgresHandle, due: UInt64)
        case ready(PostgresHandle)
    }

    private enum Sent {
        case check
        case preparation(String)
        case batch(PostgresBatch, results: [[PostgresRow]], failure: PostgresFailure?)

        /// When it counts as late; also that of a batch whose caller has left.
        var due: UInt64 { if case .batch(let batch, _, _) = self { batch.due } else { .max } }

        var isBatch: Bool { if case .batch = self { true } else { false } }

        var isWaitedFor: Bool { if case .batch(_, _, nil) = self { true } else { false } }
    }

    private let line: PostgresLine
    private let settings: PostgresSettings
    private let library: PostgresLibrary
    private let mailbox: PostgresMailbox
    /// Called with the channels of notifications; with none where one may have been missed.
    private let heard: @Sendable (Set<String>) -> Void

    private var phase = Phase.resting(until: 0)
    private var waiting: [PostgresBatch] = []
    private var sent: [Sent] = []
    private var isFlushing = false
    /// Whether the server has said that it accepts writes.
    private var isChecked = false
    /// The statements prepared in this connection, by text, with their names.
    private var prepared: [String: String] = [:]
    private var names = 0
    /// Begins the names: behind a pooler, a name that two connections have would run the statement of the other.
    private let family = String(UInt64.random(in: .min ... .max), radix: 36)
    private var failedPreparations: [String: PostgresFailure] = [:]
    private var host = 0
    private var attempt = 0
    /// The hosts whose names a thread still looks up, also for attempts that were given up.
    private var lookups: Set<Int> = []
    /// The history of the server's log, by which a former primary is older than a promoted standby.
    private(set) var timeline: String?
    private var hasArrived = false
    private var failures = 0
    private var channel: String?
    /// Why the last attempt has failed.
    private var trouble: PostgresFailure?
    /// How a server has refused this client, since the last connection.
    private var refusal: PostgresFailure?

    /// How many batches may be on their way.
    private static let window = 64

    init(
        _ line: PostgresLine,
        _ settings: PostgresSettings,
        _ library: PostgresLibrary,
        _ mailbox: PostgresMailbox,
        heard: @escaping @Sendable (Set<String>) -> Void
    ) {
        (self.line, self.settings, self.library, self.mailbox) = (line, settings, library, mailbox)
        self.heard = heard
    }

    // MARK: Orders

    mutating func carryOut(_ batch: PostgresBatch) {
        waiting.append(batch)
        send()
    }

    /// Ends a batch early; one that was sent may still be carried out.
    mutating func forget(_ ticket: Int) {
        let cancelled = PostgresFailure(.cancelled, "the task was cancelled")
        if let index = waiting.firstIndex(where: { $0.ticket == ticket }) {
            waiting.remove(at: index).ended(.failure(cancelled))
        }
        for (index, item) in sent.enumerated() {
            guard case .batch(let batch, _, nil) = item, batch.ticket == ticket else { continue }
            batch.ended(.failure(cancelled))
            sent[index] = .batch(batch, results: [], failure: cancelled)
        }
    }

    mutating func hasten(_ end: UInt64) {
        for index in waiting.indices { waiting[index].due = min(waiting[index].due, end) }
        for (index, item) in sent.enumerated() {
            guard case .batch(var batch, let results, let failure) = item else { continue }
            batch.due = min(batch.due, end)
            sent[index] = .batch(batch, results: results, failure: failure)
        }
    }

    mutating func listen(to channel: String) {
        self.channel = channel
        if case .ready = phase { startListening() }
    }

    mutating func begun(_ attempt: PostgresMailbox.Attempt, _ handle: PostgresHandle?) {
        lookups.remove(attempt.host)
        guard attempt.number == self.attempt, case .begun(let due) = phase else { return }
        guard let handle else { return failed("out of memory") }
        guard !handle.isBroken else { return failed(handle.message) }
        phase = .connecting(handle, isWriting: true, due: due)
    }

    // MARK: Time

    /// The time of the next step without news from the server.
    var due: UInt64 {
        let head = sent.firstFound { $0.isBatch ? $0.due : nil }
        let awaited = sent.lazy.filter(\.isWaitedFor).map(\.due).min()
        let batches = min(waiting.lazy.map(\.due).min() ?? .max, head ?? .max, awaited ?? .max)
        switch phase {
        case .resting(let until): return isWanted && nextHost != nil ? min(until, batches) : batches
        case .begun(let due), .connecting(_, _, let due), .checking(_, let due): return min(due, batches)
        case .ready: return batches
        }
    }

    /// The next host whose name is not being looked up.
    private var nextHost: Int? {
        let count = settings.hosts.count
        return (0..<count).lazy.map { (host + $0) % count }.first { !lookups.contains($0) }
    }

    private var isWanted: Bool { !waiting.isEmpty || channel != nil }

    /// What the thread waits for on the connection's socket.
    var interest: (descriptor: CInt, writes: Bool)? {
        switch phase {
        case .resting, .begun: nil
        case .connecting(let handle, let isWriting, _): (handle.descriptor, isWriting)
        case .checking(let handle, _), .ready(let handle): (handle.descriptor, isFlushing)
        }
    }

    /// Ends what has taken too long, and begins the next attempt where it is time.
    mutating func pass(_ now: UInt64) {
        let late = waiting.filter { $0.due <= now }
        waiting.removeAll { $0.due <= now }
        for batch in late {
            batch.ended(
                .failure(refusal ?? trouble ?? PostgresFailure(.away, "no server of the database has answered in time"))
            )
        }
        switch phase {
        case .resting(let until): if until <= now, isWanted, let next = nextHost { begin(with: next, now) }
        case .begun(let due): if due <= now { failed("the server's name was not found in time") }
        case .connecting(_, _, let due), .checking(_, let due): if due <= now { failed("the server does not answer") }
        case .ready: passSent(now)
        }
    }

    /// Ends what the server has not answered in time: the connection only where it is the next answer that is late.
    private mutating func passSent(_ now: UInt64) {
        if let head = sent.first(where: \.isBatch), head.due <= now { return failed("the server does not answer") }
        for (index, item) in sent.enumerated() where item.due <= now {
            guard case .batch(let batch, _, nil) = item else { continue }
            let late = PostgresFailure(.unanswered, "the server has not answered in time")
            batch.ended(.failure(late))
            sent[index] = .batch(batch, results: [], failure: late)
        }
    }

    // MARK: Connecting

    private mutating func begin(with next: Int, _ now: UInt64) {
        attempt += 1
        host = next
        phase = .begun(due: now + settings.connectTimeout.nanoseconds)
        let (library, mailbox, line) = (library, mailbox, line)
        let attempt = PostgresMailbox.Attempt(number: attempt, host: host)
        let parameters = settings.parameters(for: settings.hosts[host])
        lookups.insert(host)
        let hasBegun = SystemThread.start("store: connect") {
            _ = mailbox.put(.begun(line, attempt, PostgresHandle(library, parameters)))
        }
        if !hasBegun {
            lookups.remove(host)
            failed("no thread can be started")
        }
    }

    private mutating func advance() {
        guard case .connecting(let handle, _, let due) = phase else { return }
        switch handle.advance() {
        case .reads: phase = .connecting(handle, isWriting: false, due: due)
        case .writes: phase = .connecting(handle, isWriting: true, due: due)
        case .failed(let reason, let state): failed(reason, state)
        case .made:
            phase = .checking(handle, due: due)
            guard handle.send(Self.check, as: nil), handle.sync() else { return failed(handle.message) }
            sent.append(.check)
            flush(handle)
        }
    }

    /// Asks whether the server is a standby, and prepares the session.
    ///
    /// Plans are made once. A process of the server whose client has left ends soon, whatever it waits for, and confirms
    /// nothing that is not on a disk. Servers do not have all of the settings.
    private static let check = PostgresStatement(
        """
        SELECT current_setting('transaction_read_only') = 'on' OR pg_is_in_recovery(), (
            SELECT count(set_config(s.name, w.value, false)) FROM pg_settings s JOIN (VALUES
                ('plan_cache_mode', 'force_generic_plan'), ('jit', 'off'), ('lock_timeout', '8s'),
                ('default_transaction_isolation', 'read committed'), ('client_connection_check_interval', '2s'),
                ('tcp_user_timeout', '10s'), ('tcp_keepalives_idle', '10'), ('tcp_keepalives_interval', '5'),
                ('tcp_keepalives_count', '2'), ('synchronous_commit',
                    CASE WHEN current_setting('synchronous_commit') IN ('off', 'local', 'remote_write') THEN 'on' END)
            ) AS w (name, value) ON w.name = s.name AND w.value IS NOT NULL
        ), CASE WHEN NOT pg_is_in_recovery() THEN substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END
        """
    )

    /// Ends the connection: what was sent may have been carried out, and what waits is sent later.
    ///
    /// What waits ends where all hosts were tried and one has refused this client: that does not pass soon.
    private mutating func failed(_ reason: String, _ state: String? = nil) {
        let tried = settings.hosts[host]
        let name = tried.isSocket ? tried.name : "\(tried.name):\(tried.port)"
        trouble = PostgresFailure(.away, "\(name): \(reason)")
        if let state, PostgresFailure.isRefusal(state) {
            refusal = PostgresFailure(.refused(state: state), "\(name): \(reason)")
        }
        let lost = PostgresFailure(.unanswered, "\(name): \(reason)")
        let unanswered = sent
        (sent, prepared, failedPreparations, isFlushing, isChecked) = ([], [:], [:], false, false)
        timeline = nil
        attempt += 1
        host = (host + 1) % settings.hosts.count
        failures += 1
        // After each round of all hosts there is a pause, longer each time.
        let rounds = failures / settings.hosts.count
        let pause = rounds == 0 ? .zero : Duration.milliseconds(min(2_000, 50 << min(rounds, 6)))
        phase = .resting(until: Monotonic.after(pause * Double.random(in: 0.5...1)))
        for case .batch(let batch, _, nil) in unanswered { batch.ended(.failure(lost)) }
        guard let refusal, failures.isMultiple(of: settings.hosts.count) else { return }
        let refused = waiting
        (waiting, self.refusal) = ([], nil)
        for batch in refused { batch.ended(.failure(refusal)) }
    }

    /// Leaves a server that is older than one that another connection has reached: it was not stopped at a failover.
    mutating func leave(ifOlderThan newest: String) {
        guard case .ready = phase, let timeline, timeline < newest else { return }
        failed("another server has been promoted since")
    }

    /// The host, once after each connection to it.
    mutating func takeArrival() -> Int? {
        defer { hasArrived = false }
        return hasArrived ? host : nil
    }

    /// Tries a host first that another connection has reached.
    mutating func prefer(_ host: Int) {
        if case .resting = phase { self.host = host }
    }

    private mutating func connected(_ handle: PostgresHandle) {
        phase = .ready(handle)
        (trouble, refusal, hasArrived) = (nil, nil, true)
        if channel != nil { startListening() }
        send()
    }

    // MARK: Listening

    private mutating func startListening() {
        guard let channel else { return }
        var name = String.UnicodeScalarView()
        for scalar in channel.unicodeScalars { name += scalar == "\"" ? ["\"", "\""] : [scalar] }
        let statement = PostgresStatement("LISTEN \"\(String(name))\"")
        let heard = heard
        let batch = PostgresBatch(ticket: 0, statements: [statement], due: Monotonic.after(settings.connectTimeout)) {
            // What was told before is not told again.
            if case .success = $0 { heard([]) }
        }
        waiting.insert(batch, at: 0)
        send()
    }

    // MARK: Sending

    private mutating func send() {
        guard case .ready(let handle) = phase else { return }
        while let batch = waiting.first, sent.count < Self.window, !isFlushing {
            guard batch.isSendable else {
                waiting.removeFirst()
                batch.ended(.failure(PostgresFailure(.malformed, "the parameters of a statement are too large")))
                continue
            }
            for statement in batch.statements where !statement.parameters.isEmpty && prepared[statement.text] == nil {
                names += 1
                let name = "\(family)_\(names)"
                prepared[statement.text] = name
                sent.append(.preparation(statement.text))
                guard handle.prepare(statement, as: name) else { return failed(handle.message) }
            }
            waiting.removeFirst()
            sent.append(.batch(batch, results: [], failure: nil))
            for statement in batch.statements {
                guard handle.send(statement, as: prepared[statement.text]) else { return failed(handle.message) }
            }
            guard handle.sync() else { return failed(handle.message) }
            flush(handle)
            guard case .ready = phase else { return }
        }
    }

    private mutating func flush(_ handle: PostgresHandle) {
        guard let isMore = handle.flush() else { return failed(handle.message) }
        isFlushing = isMore
    }

    // MARK: Receiving

    /// The socket can be read or written.
    mutating func proceed() {
        switch phase {
        case .resting, .begun: return
        case .connecting: advance()
        case .checking(let handle, _), .ready(let handle):
            let isGood = handle.read()
            // What had arrived before the end counts.
            guard receive(handle) else { return }
            guard isGood else { return failed(handle.message) }
            let attempt = attempt
            if isFlushing { flush(handle) }
            if attempt == self.attempt { send() }
        }
    }

    /// Takes the results that have arrived; false where the connection has ended.
    private mutating func receive(_ handle: PostgresHandle) -> Bool {
        let attempt = attempt
        while let answer = handle.next() {
            guard let first = sent.first else { return end("the server sent an answer to nothing") }
            // Notifications before the end of a batch are told before the batch ends.
            if case .sync = answer { hear(handle) }
            switch (first, answer) {
            case (_, .broken(let reason)): return end(reason)
            case (.check, .rows(let rows)):
                guard let isReadOnly = try? rows.first?.bool(0) else { return end("an unexpected answer") }
                guard !isReadOnly else { return end("the server accepts no writes") }
                timeline = try? rows.first?.text(2)
                isChecked = true
            case (.check, .sync):
                guard isChecked else { return end("an unexpected answer") }
                sent.removeFirst()
                connected(handle)
                guard attempt == self.attempt else { return false }
            case (.check, .failure(let failure)): return end(failure.reason)
            case (.preparation(let text), .failure(let failure)):
                prepared[text] = nil
                failedPreparations[text] = failure
            case (.preparation(let text), .rows): failedPreparations[text] = nil
            case (.preparation, .sync): sent.removeFirst()
            case (.batch(let batch, let results, nil), .rows(let rows)):
                guard results.count < batch.statements.count else { return end("an unexpected answer") }
                sent[0] = .batch(batch, results: results + [rows], failure: nil)
            case (.batch(let batch, _, nil), .failure(let failure)):
                guard reject(batch, failure) else { return false }
                if batch.ticket == 0 { return end("cannot listen: \(failure.reason)") }
            case (.batch(let batch, let results, let failure), .sync):
                guard failure != nil || results.count == batch.statements.count else {
                    return end("an unexpected answer")
                }
                sent.removeFirst()
                failures = 0
                if failure == nil { batch.ended(.success(results)) }
            case (.check, .skipped), (.preparation, .skipped), (.batch, _): break
            }
        }
        hear(handle)
        return true
    }

    private func hear(_ handle: PostgresHandle) {
        var channels: Set<String> = []
        while let channel = handle.takeNotification() { channels.insert(channel) }
        // Another connection that hears what the listener should has the session of that one.
        if !channels.isEmpty, line == .listener { heard(channels) }
    }

    /// Ends the batch whose answer arrives with a failure; false where the connection has ended.
    private mutating func reject(_ batch: PostgresBatch, _ failure: PostgresFailure) -> Bool {
        var failure = failure
        if failure.state == Self.missing {
            if let reason = batch.statements.firstFound({ failedPreparations[$0.text] }) {
                // The statement is missing because it could not be prepared.
                failure = reason
            } else if !batch.wasReset {
                // What was prepared is gone, and with it the settings and the channel: a pooler has reset the session.
                // The batch has changed nothing, and is sent once more in a new session.
                var again = batch
                again.wasReset = true
                sent.removeFirst()
                waiting.insert(again, at: 0)
                return end("the session was reset")
            }
        }
        // Prepared for another form of the tables.
        if failure.state == "0A000" { prepared = [:] }
        sent[0] = .batch(batch, results: [], failure: failure)
        batch.ended(.failure(failure))
        return true
    }

    /// The server's code for a prepared statement that it does not have.
    private static let missing = "26000"

    private mutating func end(_ reason: String) -> Bool {
        failed(reason)
        return false
    }

    // MARK: End

    /// Closes the connection; what waits or was sent ends with a failure.
    mutating func close() {
        let closed = PostgresFailure(.unusable, "the store is closed")
        for batch in waiting { batch.ended(.failure(closed)) }
        for case .batch(let batch, _, nil) in sent {
            batch.ended(.failure(PostgresFailure(.unanswered, "the store was closed")))
        }
        (waiting, sent, phase) = ([], [], .resting(until: .max))
    }
}
