import Synchronization
import WireBase
import WireStore

/// Tells the group that this runner lives, and notices those that no longer do.
///
/// No clocks are compared: a runner raises its own number, and another one is over when its number has stayed the same for
/// its lease by the clock of the observer. The runner itself gives up its claims earlier, so that both do not work on one.
final class StorePresence: Sendable {
    /// A runner of the group, as seen from here.
    struct Seen: Sendable {
        let runner: GroupRunner
        var beat: Int64
        /// When this beat was seen first.
        var since: Duration
    }

    private struct State {
        var member: Membership?
        /// When the last beat was sent that the server has confirmed.
        var confirmed: Duration = .zero
        /// Nil until the first beat.
        var others: [Int64: Seen]?
        /// How often others were heard before the last beat was sent that the server has confirmed.
        var heard = 0
        /// This runner, as the others are told of it.
        var own: GroupRunner?
        var task: Task<Void, Never>?
        /// Fires when this runner is silent for too long, or no member any more.
        var silenced = OneShot()
        /// Whether a beat has failed since: what the others did meanwhile was not seen.
        var isBlind = false
        /// Whether a standby has to confirm writes, and none does.
        var lacksReplica = false
    }

    private let client: PostgresClient
    private let functions: StoreFunctions
    private let lease: Duration
    /// Whether a standby has to confirm writes.
    private let confirmsByReplica: Bool
    private let replicaChange = ChangeSignal()
    /// Signals notifications by others.
    private let heard: ChangeSignal
    private let time: TimeSource
    /// The clock, which goes on while the machine is suspended.
    private let uptime: @Sendable () -> Int64
    private let state = Mutex(State())

    private static let pause = Duration.seconds(2)
    /// How much earlier than the others a runner gives itself up.
    private static let margin = Duration.seconds(5)

    init(
        _ client: PostgresClient,
        _ functions: StoreFunctions,
        lease: Duration,
        confirmsByReplica: Bool,
        heard: ChangeSignal,
        _ time: TimeSource,
        uptime: @escaping @Sendable () -> Int64
    ) {
        (self.client, self.functions, self.lease, self.time) = (client, functions, lease, time)
        (self.confirmsByReplica, self.heard, self.uptime) = (confirmsByReplica, heard, uptime)
    }

    private var now: Duration { .milliseconds(uptime()) }

    /// The group's number, while this runner is a member.
    var group: Int32? { state.withLock { $0.member?.group } }

    /// Whether there may be others: one that has joined since the last beat notifies the group.
    var hasOthers: Bool {
        let count = heard.count
        return state.withLock { $0.others?.isEmpty != true || $0.heard != count }
    }

    /// Whether the others may have given this runner up.
    var isSilent: Bool {
        let now = now
        return state.withLock { $0.member == nil || now - $0.confirmed > lease - Self.margin }
    }

    /// The runners of the group, as the last beat has told them.
    var view: GroupView {
        let now = now
        return state.withLock { state in
            func recent(_ time: Duration) -> Duration? { now - time > Self.pause * 3 ? now - time : nil }
            let own = state.own.map { [GroupView.Seen($0, isSelf: true, silence: nil)] } ?? []
            let others = (state.others ?? [:]).values.map {
                GroupView.Seen($0.runner, isSelf: false, silence: recent($0.since))
            }
            let isRead = state.others != nil
            return GroupView(own + others, age: isRead ? recent(state.confirmed) : now - state.confirmed)
        }
    }

    func begin(_ member: Membership) {
        let now = now
        state.withLock { state in
            (state.member, state.confirmed, state.silenced) = (member, now, OneShot())
            (state.others, state.own) = (nil, nil)
        }
    }

    func end() {
        state.withLock { state in
            (state.member, state.own) = (nil, nil)
            return state.silenced
        }.fire()
    }

    /// Fires when the claims that are made now are lost with the membership.
    var silenced: OneShot { state.withLock { $0.silenced } }

    /// Fires `silenced` when it is time, whatever the beats wait for; returns when the task is cancelled.
    private func watchSilence() async {
        while true {
            let now = now
            let (left, silenced) = state.withLock { state in
                (state.member.map { _ in state.confirmed + lease - Self.margin - now } ?? Self.pause, state.silenced)
            }
            if left < .zero { silenced.fire() }
            // Looks again after a suspension, during which sleeps stand still.
            let pause = left < .zero ? Self.pause : min(Self.pause, left + .milliseconds(1))
            if (try? await time.sleep(pause)) == nil { return }
        }
    }

    /// Begins to beat; `changed` is called when another runner has come or gone.
    func start(writer: StoreWriter, changed: @escaping @Sendable () -> Void) {
        let task = Task { [weak self, weak writer] in
            await withDiscardingTaskGroup { group in
                group.addTask { await self?.watchSilence() }
                group.addTask {
                    while let self, let writer, !Task.isCancelled {
                        if await self.beat(writer) { changed() }
                        if (try? await self.time.sleep(Self.pause)) == nil { return }
                    }
                }
            }
        }
        state.withLock { $0.task = task }
    }

    func stop() async {
        let task = state.withLock { $0.task.take() }
        task?.cancel()
        await task?.value
    }

    /// Raises this runner's number and looks at the others; returns whether one has come or gone.
    private func beat(_ writer: StoreWriter) async -> Bool {
        guard let member = state.withLock({ $0.member }) else {
            writer.doubt()
            return false
        }
        let (now, count) = (now, heard.count)
        var calls = [functions.call("beat_1", [.int8(member.runner)])]
        // The setting may be changed, and another server be the primary.
        if confirmsByReplica { calls.append(Self.replica) }
        // Not behind what is read or written, which may take long.
        guard let results = try? await client.carryOut(calls, on: .listener, within: Self.pause) else {
            state.withLock { $0.isBlind = true }
            return false
        }
        let rows = results[0]
        if confirmsByReplica, let hasReplica = try? results[1].first?.bool(0) { note(hasReplica: hasReplica) }
        writer.nudge()
        guard !rows.isEmpty else {
            writer.doubt()
            return false
        }
        let former = state.withLock { $0.others.map { Set($0.keys) } ?? [] }
        let silent = state.withLock { state -> [(runner: Int64, beat: Int64)] in
            guard state.member?.runner == member.runner else { return [] }
            // After a pause of this program, such as a suspended machine, the others have to be observed from the start.
            let wasAbsent = state.isBlind || now - state.confirmed > Self.pause * 3
            (state.confirmed, state.isBlind, state.heard) = (now, false, count)
            // Claims that were made before a silence stay lost.
            if state.silenced.hasFired { state.silenced = OneShot() }
            let seen = wasAbsent ? [:] : state.others ?? [:]
            var present = Self.beats(rows)
            state.own = present.removeValue(forKey: member.runner)?.runner
            let (others, silent) = Self.observe(present, at: now, seen)
            state.others = others
            return silent
        }
        // One at a time: it may have to wait for what that runner has begun.
        for (runner, beat) in silent.prefix(1) {
            let parameters: [PostgresParameter] = [.int4(member.group), .int8(runner), .int8(beat)]
            _ = try? await client.rows(functions.call("evict_1", parameters), on: .reader, within: Self.pause)
        }
        return former != state.withLock { $0.others.map { Set($0.keys) } ?? [] }
    }

    // MARK: Confirmation

    /// Whether a standby confirms writes.
    static let replica = PostgresStatement("SELECT current_setting('synchronous_standby_names') <> ''")

    private func note(hasReplica: Bool) {
        let isNew = state.withLock { state in
            defer { state.lacksReplica = !hasReplica }
            return state.lacksReplica == hasReplica
        }
        if isNew { replicaChange.signal() }
    }

    func trouble(after told: Fault?) async -> Fault? {
        while !Task.isCancelled {
            let count = replicaChange.count
            let present = state.withLock { $0.lacksReplica } ? Self.unconfirmed : nil
            if present?.reason != told?.reason { return present }
            await replicaChange.wait(after: count)
        }
        return nil
    }

    private static let unconfirmed = Fault(
        "writes are confirmed by the server of the database alone: \(StoreFailure.noReplica.reason)",
        help: StoreFailure.noReplica.help
    )

    /// The beats that the server has told, by runner.
    private static func beats(_ rows: [PostgresRow]) -> [Int64: (runner: GroupRunner, beat: Int64)] {
        var beats: [Int64: (runner: GroupRunner, beat: Int64)] = [:]
        for row in rows {
            guard let runner = try? GroupRunner(row), let beat = try? row.integer(GroupRunner.beatColumn) else {
                continue
            }
            beats[runner.id] = (runner, beat)
        }
        return beats
    }

    /// Notes the beats of others; returns also those that have been the same for too long.
    private static func observe(
        _ present: [Int64: (runner: GroupRunner, beat: Int64)],
        at now: Duration,
        _ former: [Int64: Seen]
    ) -> (others: [Int64: Seen], silent: [(runner: Int64, beat: Int64)]) {
        var (others, silent): ([Int64: Seen], [(runner: Int64, beat: Int64)]) = ([:], [])
        for (id, (runner, beat)) in present {
            let seen = former[id].flatMap { $0.beat == beat ? $0 : nil }
            others[id] = seen ?? Seen(runner: runner, beat: beat, since: now)
            if let seen, now - seen.since > runner.lease { silent.append((id, beat)) }
        }
        return (others, silent)
    }
}

extension GroupRunner {
    /// The column of the beat in what the functions say of a runner; the others are those of the initializer.
    static let beatColumn = 5

    /// Reads a row of `members_1`, `runners_1` or `beat_1`.
    init(_ row: PostgresRow) throws(PostgresFailure) {
        let instance = try row.name(2)
        self.init(
            id: try row.integer(0),
            machine: try row.name(1),
            instance: instance.isEmpty ? nil : instance,
            version: try row.name(3),
            joined: try row.integer(4),
            lease: try row.duration(6)
        )
    }
}
