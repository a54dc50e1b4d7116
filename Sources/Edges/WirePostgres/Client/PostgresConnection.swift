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

    /// A server's process, and the history of its log, by which a former primary is older than a promoted standby.
    struct Server: Equatable {
        let timeline: String
        /// When the process was started, in microseconds.
        let start: Int64
    }

    private let line: PostgresLine
    private let settings: PostgresSettings
    private let library: PostgresLibrary
    private let mailbox: PostgresMailbox
    /// Called with the channels of notifications; with none where one may have been missed.
    private let heard: @Sendable (Set<String>) -> Void

    private var phase = Phase.resting(until: 0)
    private var pipeline = PostgresPipeline()
    private var isFlushing = false
    /// Whether the server has said that it accepts writes.
    private var isChecked = false
    /// The statements prepared in this connection, by text, with their names.
    private var prepared: [String: String] = [:]
    private var names = 0
    /// Begins the names: behind a pooler, a name that two connections have would run the statement of the other.
    private let family = String(UInt64.random(in: .min ... .max), radix: 36)
    private var failedPreparations: [String: PostgresFailure] = [:]
    private(set) var host = 0
    private var attempt = 0
    /// The hosts whose names a thread still looks up, also for attempts that were given up.
    private var lookups: Set<Int> = []
    /// The server that is connected.
    private(set) var server: Server?
    private var hasArrived = false
    private var failures = 0
    private var channel: String?
    /// Why the last attempt has failed.
    private var trouble: PostgresFailure?
    /// How a server has refused this client, since the last connection.
    private var refusal: PostgresFailure?

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

    /// Queues a batch until `send`.
    mutating func add(_ batch: PostgresBatch) {
        guard !batch.isSendable else { return pipeline.add(batch) }
        var batch = batch
        batch.end(.failure(PostgresFailure(.malformed, "the parameters of a statement are too large")))
    }

    mutating func forget(_ ticket: Int) { pipeline.forget(ticket) }

    mutating func hasten(_ end: UInt64) { pipeline.hasten(end) }

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
        switch phase {
        case .resting(let until): isWanted && nextHost != nil ? min(until, pipeline.due) : pipeline.due
        case .begun(let due), .connecting(_, _, let due), .checking(_, let due): min(due, pipeline.due)
        case .ready: pipeline.due
        }
    }

    /// The next host whose name is not being looked up.
    private var nextHost: Int? {
        let count = settings.hosts.count
        return (0..<count).lazy.map { (host + $0) % count }.first { !lookups.contains($0) }
    }

    private var isWanted: Bool { !pipeline.waiting.isEmpty || channel != nil }

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
        let away = refusal ?? trouble ?? PostgresFailure(.away, "no server of the database has answered in time")
        guard pipeline.pass(now, away: away) else { return failed("the server does not answer") }
        switch phase {
        case .resting(let until): if until <= now, isWanted, let next = nextHost { begin(with: next, now) }
        case .begun(let due): if due <= now { failed("the server's name was not found in time") }
        case .connecting(_, _, let due), .checking(_, let due): if due <= now { failed("the server does not answer") }
        case .ready: break
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
            pipeline.note(.check)
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
        ), CASE WHEN NOT pg_is_in_recovery() THEN substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END,
            (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::int8
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
        (prepared, failedPreparations, isFlushing) = ([:], [:], false)
        (isChecked, hasArrived, server) = (false, false, nil)
        attempt += 1
        host = (host + 1) % settings.hosts.count
        failures += 1
        // After each round of all hosts there is a pause, longer each time.
        let rounds = failures / settings.hosts.count
        let pause = rounds == 0 ? .zero : Duration.milliseconds(min(2_000, 50 << min(rounds, 6)))
        phase = .resting(until: Monotonic.after(pause * Double.random(in: 0.5...1)))
        for var batch in pipeline.takeSent() { batch.end(.failure(lost)) }
        guard let refusal, failures.isMultiple(of: settings.hosts.count) else { return }
        self.refusal = nil
        for var batch in pipeline.takeWaiting() { batch.end(.failure(refusal)) }
    }

    /// Whether its server is newer than that of another connection: promoted since, or started since at the same address.
    ///
    /// A server that was started again has lost the other connection, which may not have been told.
    func isNewer(than other: PostgresConnection) -> Bool {
        guard let server else { return false }
        guard let former = other.server else { return true }
        guard server.timeline == former.timeline else { return server.timeline > former.timeline }
        return host == other.host && server.start > former.start
    }

    /// Leaves a server that is not the newest one that is connected: it was not stopped at a failover, or has gone.
    mutating func leave(for newest: Server, at host: Int) {
        guard case .ready = phase, server != newest else { return }
        failed("another server has been promoted or started since")
        self.host = host
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
        let batch = PostgresBatch(ticket: 0, [statement], due: Monotonic.after(settings.connectTimeout)) {
            // What was told before is not told again.
            if case .success = $0 { heard([]) }
        }
        pipeline.add(batch, first: true)
        send()
    }

    // MARK: Sending

    /// Sends what waits, as far as there is room.
    mutating func send() {
        guard case .ready(let handle) = phase else { return }
        while !isFlushing {
            let batches = pipeline.next
            guard !batches.isEmpty else { return }
            let statements = batches.flatMap(\.statements)
            for statement in statements where !statement.parameters.isEmpty && prepared[statement.text] == nil {
                names += 1
                let name = "\(family)_\(names)"
                prepared[statement.text] = name
                pipeline.note(.preparation(statement.text))
                guard handle.prepare(statement, as: name) else { return failed(handle.message) }
            }
            pipeline.note(.batches, taking: batches.count)
            for statement in statements {
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
    mutating func proceed(isWritable: Bool) {
        switch phase {
        case .resting, .begun: return
        case .connecting: advance()
        case .checking(let handle, _), .ready(let handle):
            // Room for more is told only once a large part has moved.
            let size = isWritable ? PostgresPipeline.part : handle.arrived
            let isGood = handle.read()
            pipeline.noteMovement(of: size, at: Monotonic.now)
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
            guard let first = pipeline.sent.first else { return end("the server sent an answer to nothing") }
            // Notifications before the end of a batch are told before the batch ends.
            if case .sync = answer { hear(handle) }
            switch (first.work, answer) {
            case (_, .broken(let reason)): return end(reason)
            case (.check, .rows(let rows)):
                guard let row = rows.first, let isReadOnly = try? row.bool(0) else {
                    return end("an unexpected answer")
                }
                guard !isReadOnly else { return end("the server accepts no writes") }
                server = try? Server(timeline: row.text(2), start: row.integer(3))
                isChecked = true
            case (.check, .failure(let failure)): return end(failure.reason)
            case (.preparation(let text), .failure(let failure)):
                prepared[text] = nil
                failedPreparations[text] = failure
            case (.preparation(let text), .rows): failedPreparations[text] = nil
            case (.batches, .rows(let rows)):
                guard pipeline.take(rows) else { return end("an unexpected answer") }
            case (.batches, .failure(let failure)):
                guard first.isRejected || reject(failure) else { return false }
            case (_, .skipped): break
            case (.check, .sync):
                guard isChecked, pipeline.finishFirst() else { return end("an unexpected answer") }
                connected(handle)
                guard attempt == self.attempt else { return false }
            case (.preparation, .sync), (.batches, .sync):
                guard pipeline.finishFirst() else { return end("an unexpected answer") }
                if case .batches = first.work { failures = 0 }
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

    /// Ends the batch that is answered next with a failure; false where the connection has ended.
    private mutating func reject(_ failure: PostgresFailure) -> Bool {
        guard let batch = pipeline.sent.first?.batches.first else { return true }
        var failure = failure
        if failure.state == Self.missing {
            if let reason = batch.statements.firstFound({ failedPreparations[$0.text] }) {
                // The statement is missing because it could not be prepared.
                failure = reason
            } else if !batch.wasReset, var again = pipeline.takeFirst() {
                // What was prepared is gone, and with it the settings and the channel: a pooler has reset the session.
                // The batch has changed nothing, and is sent once more in a new session.
                again.wasReset = true
                pipeline.add(again, first: true)
                return end("the session was reset")
            }
        }
        // Prepared for another form of the tables.
        if failure.state == "0A000" { prepared = [:] }
        pipeline.reject(failure)
        return batch.ticket != 0 || end("cannot listen: \(failure.reason)")
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
        for var batch in pipeline.takeWaiting() {
            batch.end(.failure(PostgresFailure(.unusable, "the store is closed")))
        }
        for var batch in pipeline.takeSent() {
            batch.end(.failure(PostgresFailure(.unanswered, "the store was closed")))
        }
        phase = .resting(until: .max)
    }
}
