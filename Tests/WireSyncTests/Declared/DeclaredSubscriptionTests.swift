import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireNotificationContract
import WireService
import WireSync
import WireTelemetry
import Workbench

@Suite("Declared subscriptions", .timeLimit(.minutes(2)))
struct DeclaredSubscriptionTests {
    private static func task(_ id: String, _ title: String) -> JSONValue {
        .members(["__typename": .string("Task"), "id": .string(id), "title": .string(title)])
    }

    private static func page(_ tasks: [JSONValue]) -> JSONValue {
        let page = JSONValue.members(["__typename": .string("TaskPage"), "items": .array(tasks)])
        return .members(["data": .members(["findTasks": page])])
    }

    @Test("a declared subscription runs automatically, and its data is cached")
    func cache() async throws {
        let bench = try await LiveBench("subscriptions: { NewTask: {} }")
        bench.server.answer { _ in Self.page([Self.task("1", "milk")]) }
        _ = try await bench.query("AllTasks", "networkOnly")
        #expect(await bench.passing { bench.server.streams.count == 1 })
        bench.server.streams[0].send(.members(["newTask": Self.task("1", "bread")]))
        #expect(try await bench.passing { try await bench.titles() == ["1 bread"] })
        #expect(try await bench.passing { try await bench.subscription()["messages"]?.integer == 1 })
        let shown = try await bench.subscription()
        #expect(shown["state"]?.string == "active")
        #expect(shown["name"]?.string == "NewTask" && shown["declared"]?.boolean == true)
        await bench.end()
    }

    @Test("messages refetch queries, with variables from the message")
    func refetch() async throws {
        let bench = try await LiveBench(
            """
            subscriptions:
              tasks: { operation: NewTask, refetch: { AllTasks: {}, OneTask: { id: "{{ newTask.id }}" } } }
            """
        )
        #expect(await bench.passing { bench.server.streams.count == 1 })
        bench.server.answer { request in
            request["operationName"]?.string == "AllTasks"
                ? Self.page([Self.task("1", "milk"), Self.task("7", "bread")])
                : .members(["data": .members(["getTask": Self.task("7", "bread")])])
        }
        bench.server.streams[0].send(.members(["newTask": Self.task("7", "bread")]))
        #expect(try await bench.passing { try await bench.titles() == ["1 milk", "7 bread"] })
        #expect(await bench.passing { bench.server.requests("OneTask").count == 1 })
        #expect(bench.server.requests("OneTask").first?["variables"]?.text() == #"{"id":"7"}"#)
        await bench.end()
    }

    @Test("variables contain claims of the user, and another user has another subscription")
    func users() async throws {
        let bench = try await LiveBench(
            #"subscriptions: { NewTask: { variables: { owner: "{{ user.sub }}" } } }"#,
            isOfUsers: true
        )
        #expect(
            try await bench.passing { try await bench.subscription()["lastError"]?.string == "no user is signed in" }
        )
        #expect(bench.server.streams.isEmpty)
        #expect(try await bench.subscription()["state"]?.string == "waiting")
        bench.people.signIn("ada")
        #expect(await bench.passing { bench.server.streams.count == 1 })
        #expect(bench.server.streams[0].variables?.text() == #"{"owner":"ada"}"#)
        bench.people.signIn("bob")
        #expect(await bench.passing { bench.server.streams.count == 2 })
        #expect(bench.server.streams[1].variables?.text() == #"{"owner":"bob"}"#)
        // What one user's subscription has told is not shown to the next one.
        #expect(try await bench.subscription()["lastError"]?.string != "no user is signed in")
        #expect(
            try await bench.ask(
                .get,
                "/v1/sync/subscriptions",
                rights: Rights(access: .read, tokens: .none, account: "limited")
            )["subscriptions"] == nil
        )
        #expect(bench.bench.told.all.isEmpty)
        await bench.end()
    }

    @Test("a rejected subscription is retried, and degrades the service meanwhile")
    func refused() async throws {
        let server = LiveServer()
        server.refuse("not today")
        let bench = try await LiveBench("subscriptions: { NewTask: {} }", server: server)
        #expect(try await bench.passing { try await bench.subscription()["lastError"]?.string == "not today" })
        #expect(
            await eventually { bench.bench.told.all.contains { $0.contains("'NewTask'") && $0.contains("not today") } }
        )
        server.refuse(nil)
        #expect(await bench.passing { server.streams.count == 1 })
        server.streams[0].send(.members(["newTask": Self.task("1", "milk")]))
        #expect(await bench.passing { bench.bench.told.all.last == "well" })
        await bench.end()
    }

    @Test("a failed subscription is retried with backoff, or when a token is available")
    func pause() async throws {
        let (server, people) = (LiveServer(), HandPeople())
        server.refuse("not today")
        people.signIn("ada")
        let bench = try await LiveBench(
            "subscriptions: { NewTask: {} }",
            server: server,
            isOfUsers: true,
            people: people
        )
        // It may begin twice, where the user is found while it begins.
        for count in 1...3 {
            #expect(await eventually { server.requests("NewTask").count >= count })
            for _ in 0..<50 { await breath() }
            #expect(server.requests("NewTask").count <= count + 1)
            people.recovered.notify(())
        }
        await bench.end()
    }

    @Test("after a lost connection its queries are refetched")
    func gap() async throws {
        let bench = try await LiveBench("subscriptions: { NewTask: { refetch: AllTasks } }")
        bench.server.answer { _ in Self.page([Self.task("1", "milk")]) }
        #expect(await bench.passing { bench.server.streams.count == 1 })
        bench.server.streams[0].cut()
        #expect(await bench.passing { bench.server.streams.count == 2 })
        #expect(await bench.passing { bench.server.requests("AllTasks").count == 1 })
        #expect(try await bench.subscription()["gaps"]?.integer == 1)
        await bench.end()
    }

    @Test("the named part of a message is passed to notification handlers")
    func notifications() async throws {
        let bench = try await LiveBench("subscriptions: { NewTask: { notification: newTask } }")
        let source = try #require(
            Abilities(bench.service.abilities)[.subscriptionMessages]
        )
        #expect(await bench.passing { bench.server.streams.count == 1 })
        // What comes before it is asked for is kept.
        bench.server.streams[0].send(.members(["newTask": Self.task("1", "milk")]))
        #expect(try await bench.passing { try await bench.subscription()["messages"]?.integer == 1 })
        var messages = source.messages().makeAsyncIterator()
        bench.server.streams[0].send(.members(["newTask": .null]))
        bench.server.streams[0].send(.members(["newTask": Self.task("2", "bread")]))
        let first = try #require(await messages.next())
        #expect(first.subscription == "NewTask" && first.payload["title"]?.string == "milk")
        #expect(await messages.next()?.payload["title"]?.string == "bread")
        await bench.end()
        #expect(await messages.next() == nil)
    }

    @Test("after a clearing no message is lost", arguments: [ClearingScope.environment, .all])
    func clearing(scope: ClearingScope) async throws {
        let bench = try await LiveBench("subscriptions: { NewTask: { notification: newTask } }")
        let source = try #require(
            Abilities(bench.service.abilities)[.subscriptionMessages]
        )
        bench.server.answer { _ in Self.page([Self.task("1", "milk")]) }
        #expect(await bench.passing { bench.server.streams.count == 1 })
        bench.server.streams[0].send(.members(["newTask": Self.task("1", "old")]))
        #expect(try await bench.passing { try await bench.subscription()["messages"]?.integer == 1 })
        _ = try await bench.bench.clear(scope)
        _ = try await bench.query("AllTasks", "networkOnly")
        bench.server.streams[0].send(.members(["newTask": Self.task("1", "bread")]))
        #expect(try await bench.passing { try await bench.titles() == ["1 bread"] })
        // What waited when it was cleared is gone.
        var messages = source.messages().makeAsyncIterator()
        #expect(await messages.next()?.payload["title"]?.string == "bread")
        #expect(bench.server.streams.count == 1)
        await bench.end()
    }

    @Test("queued notifications belong to the current user, and are limited in bytes")
    func outlet() async throws {
        let told = try Workbench(clock: HandClock()).told
        let region = Mutex("ada")
        let outlet = SubscriptionOutlet(Log("sync", to: told)) { region.withLock { $0 } }
        outlet.put(SubscriptionMessage("a", .string("of ada")), of: "ada")
        region.withLock { $0 = "bob" }
        outlet.put(SubscriptionMessage("a", .string("of bob")), of: "bob")
        var messages = outlet.messages().makeAsyncIterator()
        #expect(await messages.next()?.payload.string == "of bob")
        let half = JSONValue.string(String(repeating: "x", count: SubscriptionOutlet.most.size / 2))
        for payload in [half, half, .string("last")] { outlet.put(SubscriptionMessage("a", payload), of: "bob") }
        #expect(told.log.contains { $0.contains("dropped") })
        #expect(await messages.next()?.payload.string?.utf8.count == SubscriptionOutlet.most.size / 2)
        #expect(await messages.next()?.payload.string == "last")
    }

    @Test(
        "an invalid operation name prevents the start",
        arguments: [
            ("subscriptions: { NewTsk: {} }", "unknown subscription 'NewTsk'", "did you mean 'NewTask'?"),
            ("subscriptions: { AllTasks: {} }", "'AllTasks' is a query, expected a subscription", nil),
            (
                "subscriptions: { n: { operation: NewTask, variables: { ownr: x } } }", "no variable '$ownr'",
                "did you mean 'owner'?"
            ),
            ("subscriptions: { NewTask: { variables: { owner: [x] } } }", "'$owner'", nil),
            ("subscriptions: { NewTask: { refetch: AllTask } }", "unknown query 'AllTask'", "did you mean 'AllTasks'?"),
            (
                "subscriptions: { NewTask: { refetch: OneTask } }",
                "missing variable '$id' of 'OneTask': expected 'ID!'", nil
            ),
            (
                #"subscriptions: { NewTask: { refetch: { OneTask: { id: "{{ newTsk.id }}" } } } }"#,
                "unknown value '{{ newTsk.id }}'", "did you mean 'newTask'?"
            ),
            (#"subscriptions: { NewTask: { variables: { owner: "{{ user.sub }}" } } }"#, "needs a signed-in user", nil),
            (
                "subscriptions: { NewTask: { notification: newTsk } }", "has no field 'newTsk'",
                "did you mean 'newTask'?"
            ),
            ("mutations: { CreateTask: { adds: [AllTask] } }", "unknown query 'AllTask'", "did you mean 'AllTasks'?"),
            ("mutations: { CreateTask: { adds: [OneTask] } }", "the query 'OneTask' has no list of 'Task'", nil),
            ("delta: { Task: { query: AllTasks } }", "'AllTasks' is not a delta query", nil),
            ("delta: { Tsk: { query: Changed } }", "no object type 'Tsk'", "did you mean 'Task'?"),
            (
                "delta: { Task: { query: Changed, adds: [OneTask] } }", "missing variable '$id' of 'OneTask'",
                nil
            ),
        ] as [(String, String, String?)]
    )
    func wrong(section: String, words: String, help: String?) async throws {
        let fault = await #expect(throws: Fault.self) { try await LiveBench(section) }
        #expect(fault?.reason.contains(words) == true, "\(fault?.reason ?? "-")")
        if let help { #expect(fault?.help == help) }
        #expect(fault?.origin != nil)
    }
}
