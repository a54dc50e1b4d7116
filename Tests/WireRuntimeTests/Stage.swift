import Foundation
import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireCrypto
import WireHTTP
import WireRunnerContract
import WireRuntime
import WireService
import WireSQLite
import WireStore
import WireTelemetry

/// A runner over services of the test, a real store, and a clock that is moved by hand.
final class Stage: Sendable {
    let diary = Diary()
    let visitors = Visitors()
    let clock = HandClock()
    let folder: TemporaryFolder
    let store: SQLiteStore
    let dispatcher: GenerationDispatcher
    let runner: Runner
    private let script: Script

    static let catalogue = Catalogue([
        AppSection.self, AlphaSection.self, BetaSection.self, GammaSection.self, DeltaSection.self,
        DoorSection.self, ZetaSection.self, EtaSection.self,
    ])
    static let services: [any Service.Type] = [
        Scripted<AlphaSection>.self, Scripted<BetaSection>.self, Scripted<GammaSection>.self,
        DoorService.self, Personal<ZetaSection>.self, Personal<EtaSection>.self,
    ]

    init(
        in folder: TemporaryFolder? = nil,
        drainLimit: Duration = .seconds(20),
        keeping kept: Int = 20,
        around: (any KeyValueStore) -> any KeyValueStore = { $0 }
    ) throws {
        let folder = try folder ?? TemporaryFolder()
        self.folder = folder
        let path = folder.url.appendingPathComponent("state").path
        let key = try SealingKey(Secret([UInt8](repeating: 7, count: SealingKey.size)))
        store = try SQLiteStore.open(folder: path, sealer: KeySealer(key))
        let log = Log("test", to: Silence())
        dispatcher = GenerationDispatcher(clock: clock.clockwork, log: log)
        script = Script()
        runner = Runner(
            source: script,
            context: RunnerContext(
                stores: Stores(store),
                clock: clock.clockwork,
                log: log,
                events: EventHub(keeping: 1_000, clock: clock.clockwork),
                metrics: Metrics(),
                folder: ".",
                offering: [Ability.diary.offered(by: diary), Ability.visitors.offered(by: visitors)],
                lending: { candidate in [Ability.moodOfAlpha.offered(by: MoodOfAlpha(candidate: candidate))] }
            ),
            history: GenerationHistory(in: around(store), of: "test", keeping: kept),
            dispatcher: dispatcher,
            drainLimit: drainLimit
        )
    }

    /// Lets the runner run while a test does something with it, and stops it.
    func perform(_ text: String? = nil, _ play: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await self.runner.run() }
            if let text { _ = await self.start(text) }
            do {
                try await play()
            } catch {
                Issue.record(error)
            }
            await runner.stop()
            try await group.waitForAll()
        }
        await store.close()
    }

    /// Says what the file says from now on.
    func write(_ text: String) { script.text.withLock { $0 = text } }

    func start(_ text: String) async -> ChangeReport {
        write(text)
        do throws(CandidateRejection) {
            return await runner.start(try script.candidate(environment: nil))
        } catch {
            var report = ChangeReport(outcome: .rejected, generation: 0, environment: nil, hash: "")
            report.reason = error.reason
            return report
        }
    }

    /// Reloads with another text.
    func reload(_ text: String, _ change: (inout RequestedChange) -> Void = { _ in }) async -> ChangeReport {
        write(text)
        var query = RequestedChange(.file, origin: .api)
        change(&query)
        return await runner.apply(query)
    }

    /// What the file says now.
    var candidate: Candidate? { try? script.candidate(environment: nil) }

    func change(to target: RequestedChange.Target) async -> ChangeReport {
        await runner.apply(RequestedChange(target, origin: .api))
    }

    /// The answer to a request, as a listener would get it.
    func ask(_ path: String) async throws -> (text: String, generation: String?, status: Int) {
        let head = Request(
            method: .get,
            target: try #require(Target(parsing: path)),
            fields: [:],
            caller: .address("127.0.0.1")
        )
        let response: Response
        switch dispatcher.exchange(for: head).plan {
        case .answer(let answer): response = answer
        case .collect(_, let answer):
            switch answer(head) {
            case .now(let answer): response = answer
            case .later(let work): response = await work()
            }
        case .stream: throw Fault("a streamed answer was not expected")
        }
        guard case .bytes(let bytes) = response.body else { throw Fault("an answer of bytes was expected") }
        return (String(decoding: bytes, as: UTF8.self), response.fields["Corewire-Generation"], response.status.code)
    }

    /// Waits until something is so; what never comes is the test's time limit's to end.
    func until(_ holds: @Sendable () async -> Bool) async {
        while await !holds(), !Task.isCancelled { await Task.yield() }
    }

    /// Lets time pass until something holds that waits for it, and may not have begun to wait.
    ///
    /// It passes in small steps: what begins as soon as this holds has limits of its own on the same clock.
    func untilTimePasses(_ holds: @Sendable () async -> Bool) async {
        while await !holds(), !Task.isCancelled {
            clock.pass(.seconds(1))
            await Task.yield()
        }
    }

    /// Lets time pass until the change that waits to be confirmed is taken back, then waits for what replaces it.
    func untilTakenBack(to number: Int) async {
        await untilTimePasses { runner.status.confirmBy == nil }
        await until { await runner.generations().contains { $0.number == number && $0.isCurrent } }
    }
}

private struct Silence: LogSink {
    func write(_ record: LogRecord) {}
}

/// Reads candidates from a text instead of a file.
private final class Script: CandidateSource {
    let text = Mutex("")

    func candidate(environment: String?) throws(CandidateRejection) -> Candidate {
        try candidate(of: text.withLock { $0 }, environment)
    }

    func candidate(from sources: SourceTexts) throws(CandidateRejection) -> Candidate {
        try candidate(of: String(decoding: sources.files[0].text, as: UTF8.self), sources.environment)
    }

    private func candidate(of text: String, _ environment: String?) throws(CandidateRejection) -> Candidate {
        let loader = Loader(formats: [.json], dialects: []) { _, _, _ throws(Fault) in
            throw Fault("no")
        }
        let loaded = loader.load(bytes: Array(text.utf8), name: "test.json")
        guard let file = loaded.file else { throw CandidateRejection(reason: "it cannot be read") }
        var judge = FileValidator(file, catalogue: Stage.catalogue, problems: loaded.problems)
        let result = judge.validate()
        if let problem = result.problems.messages.first, result.problems.hasErrors {
            throw CandidateRejection(reason: problem)
        }
        let document = judge.validatedFile.document
        let name = environment ?? result.environments.first?.facts.name
        guard let validated = result.environments.first(where: { $0.facts.name == name }) else {
            throw CandidateRejection(reason: "no environment '\(name ?? "")'")
        }
        let plan = Plan(validated, catalogue: Stage.catalogue, services: Stage.services, document: document)
        if let problem = plan.problems.first {
            let place = problem.place.map { "test.json:\($0.start.line):\($0.start.column)" } ?? ""
            throw CandidateRejection(reason: "\(place) \(problem.message)")
        }
        let effective = EffectiveFile(validated, of: document, catalogue: Stage.catalogue, secrets: result.secrets)
        let shown = YAMLWriter.text(of: effective.literal)
        return Candidate(
            file: "test.json",
            environments: result.environments.compactMap(\.facts.name),
            configuration: validated.configuration,
            plan: plan,
            document: document,
            effective: shown,
            settings: effective.settings.map { setting in
                let place = document.place(setting.node)
                return EffectiveSetting(
                    path: setting.path,
                    text: setting.value.plainText,
                    place: "\(place.file.name):\(place.start.line):\(place.start.column)"
                )
            },
            hash: "\(shown.hashValue)",
            sources: Secret(
                SourceTexts(files: [("test.json", Array(text.utf8))], overrides: [], environment: environment)
            )
        )
    }
}
