import Support
import Testing
import WireBase
import WireConfig
import WireDBus
import WireHTTP
import WireMessageBus
import WireNetworkContract
import WirePushContract
import WireService
import Workbench

@testable import WireNotifications

@Suite("A connection to a UnifiedPush distributor", .timeLimit(.minutes(2)))
struct DistributorTests {
    /// A bus with a runner's connector, whose time a test moves.
    private struct Scene {
        let daemon: BusDaemon
        let accounts: HandAccounts
        let clock = HandClock()
        let notifications: NotificationBench

        init(_ accounts: HandAccounts, on daemon: BusDaemon? = nil) async throws {
            self.daemon = try daemon ?? BusDaemon()
            self.accounts = accounts
            notifications = try await NotificationBench(
                IntakeTests.note,
                clock: clock,
                offering: [
                    Ability.messageBuses.offered(by: ScriptedDesktop.buses(self.daemon)),
                    ServiceAbility.webPush.offered(by: accounts),
                    ServiceAbility.serverRequests.offered(by: ScriptedRequests()),
                ]
            )
        }

        /// A distributor that has been asked to register the first channel.
        func distributor(as name: String = "kde") async throws -> (ScriptedDistributor, BusIncomingCall) {
            let distributor = try await ScriptedDistributor(on: daemon, as: name)
            await distributor.describe()
            let next = try #require(await distributor.next())
            #expect(next.what == "Register a")
            return (distributor, next.call)
        }

        var log: [String] { notifications.bench.told.log }

        func logs(_ text: String) async -> Bool { await eventually { log.contains { $0.contains(text) } } }

        /// Lets time pass in small parts until something has become so, or it is over.
        func pass(_ seconds: Int, until isSo: () -> Bool = { false }) async {
            for _ in 0..<seconds where !isSo() {
                clock.pass(.seconds(1))
                for _ in 0..<20 where !isSo() { await breath() }
            }
        }
    }

    @Test("a lost registration is made again after a minute, a replaced one never, and a pending one is not repeated")
    func lost() async throws {
        let scene = try await Scene(HandAccounts("a"))
        let (distributor, call) = try await scene.distributor()
        // The bus says so of a caller that did not reply.
        call.answer(.error(name: "org.freedesktop.DBus.Error.NoReply", text: "later"))
        await scene.pass(5)
        scene.accounts.add("b")
        let second = try #require(await distributor.next())
        #expect(second.what == "Register b")
        distributor.answer(second.call, "REGISTRATION_SUCCEEDED")
        for channel in ["a", "b"] { #expect(await distributor.open(channel, at: channel) == "") }
        for channel in ["a", "b"] { #expect(await distributor.call("Unregistered", channel) == "") }
        #expect(await distributor.open("b", at: "b2") == "")
        await scene.pass(50)
        scene.accounts.add("c")
        let third = try #require(await distributor.next())
        #expect(third.what == "Register c")
        await scene.pass(20)
        let fourth = try #require(await distributor.next())
        #expect(fourth.what == "Register a")
        distributor.answer(fourth.call, "REGISTRATION_SUCCEEDED")
        scene.accounts.add("d")
        #expect(await distributor.next()?.what == "Register d")
        await scene.notifications.end()
    }

    @Test("a registration that was pending at its end is ended again, and an unknown one once")
    func ended() async throws {
        let scene = try await Scene(HandAccounts("a"))
        let (distributor, call) = try await scene.distributor()
        scene.accounts.end("a")
        let first = try #require(await distributor.next())
        #expect(first.what == "Unregister a")
        distributor.answer(first.call)
        scene.accounts.add("b")
        let other = try #require(await distributor.next())
        #expect(other.what == "Register b")
        distributor.answer(call, "REGISTRATION_SUCCEEDED")
        let second = try #require(await distributor.next())
        #expect(second.what == "Unregister a")
        #expect(scene.accounts.channels.count == 2)
        distributor.answer(second.call)
        #expect(await eventually { scene.accounts.channels.map(\.id) == ["b"] })
        for _ in 0..<2 { #expect(await distributor.open("z") == "") }
        let third = try #require(await distributor.next())
        #expect(third.what == "Unregister z")
        scene.accounts.add("c")
        #expect(await distributor.next()?.what == "Register c")
        await scene.notifications.end()
    }

    @Test("only the end of a registration that is not there counts as ended")
    func refusedEnd() async throws {
        let scene = try await Scene(HandAccounts("a"))
        let (distributor, call) = try await scene.distributor()
        distributor.answer(call, "REGISTRATION_SUCCEEDED")
        #expect(await distributor.open("a") == "")
        scene.accounts.end("a")
        for error in ["Failed", "AccessDenied", "InvalidArgs"] {
            let next = try #require(await distributor.next())
            #expect(next.what == "Unregister a" && scene.accounts.channels.count == 1)
            next.call.answer(.error(name: "org.freedesktop.DBus.Error.\(error)", text: "a is here"))
            if error != "InvalidArgs" { #expect(await scene.logs(": … is here")) }
            await scene.pass(8)
        }
        #expect(await eventually { scene.accounts.channels.isEmpty })
        await scene.notifications.end()
    }

    @Test("a channel without an endpoint has a reason: of the reply, of the time, or of an invalid endpoint")
    func reasons() async throws {
        let scene = try await Scene(HandAccounts("a"))
        let (distributor, first) = try await scene.distributor()
        distributor.answer(first, "REGISTRATION_FAILED", "NETWORK")
        #expect(await eventually { scene.accounts.reasons.last == "the distributor 'kde' failed to register: NETWORK" })
        await scene.pass(2)
        let second = try #require(await distributor.next())
        distributor.answer(second.call, "PERHAPS")
        let invalid = "the distributor 'kde' sent an invalid reply to 'Register'"
        #expect(await eventually { scene.accounts.reasons.last == invalid })
        await scene.pass(3)
        let third = try #require(await distributor.next())
        distributor.answer(third.call, "REGISTRATION_SUCCEEDED")
        let missing = "the distributor 'kde' has given no endpoint"
        await scene.pass(70) { scene.accounts.reasons.last == missing }
        #expect(await eventually { scene.accounts.reasons.last == missing })
        let bad = [(name: "endpoint", value: BusValue.string("http://example.com/up"))]
        #expect(await distributor.call("NewEndpoint", "a", bad) == "InvalidArgs")
        #expect(scene.accounts.reasons.last?.hasPrefix("the distributor gave an invalid endpoint") ?? false)
        #expect(scene.log.contains { $0.hasPrefix("a call over the session bus was refused") })
        await scene.notifications.end()
    }

    @Test("a message that cannot be stored is kept for 20 seconds, then refused, and the connection stays")
    func broken() async throws {
        let scene = try await Scene(HandAccounts("a"))
        let (distributor, call) = try await scene.distributor()
        distributor.answer(call, "REGISTRATION_SUCCEEDED")
        #expect(await distributor.open("a") == "")
        scene.accounts.breaks(true)
        async let short = distributor.send("a", "one")
        await scene.pass(5)
        scene.accounts.breaks(false)
        await scene.pass(5)
        #expect(await short == "")
        scene.accounts.breaks(true)
        async let long = distributor.send("a", "two")
        await scene.pass(30)
        #expect(await long == "Failed")
        #expect(scene.notifications.bench.told.all.contains { $0.contains("cannot be stored: the disk is broken") })
        scene.accounts.breaks(false)
        #expect(await distributor.send("a", "two") == "")
        #expect(await eventually { scene.notifications.bench.told.all.last == "well" })
        scene.accounts.add("b")
        #expect(await distributor.next()?.what == "Register b")
        await scene.notifications.end()
    }

    @Test("ids of other messages may be the same, and a message without body or id is always another one")
    func repeated() async throws {
        let scene = try await Scene(HandAccounts("a"))
        let (distributor, call) = try await scene.distributor()
        distributor.answer(call, "REGISTRATION_SUCCEEDED")
        #expect(await distributor.open("a") == "")
        for (text, id) in [("one", "1"), ("two", "1"), ("one", "2"), ("", "1"), ("", "1"), ("", nil), ("", nil)] {
            #expect(await distributor.send("a", text, id: id) == "")
        }
        #expect(scene.notifications.events("received").count == 5)
        await scene.notifications.end()
    }

    @Test("a former distributor may bring messages, but no endpoint, and other programs neither")
    func former() async throws {
        let scene = try await Scene(HandAccounts("a"))
        let (distributor, call) = try await scene.distributor()
        distributor.answer(call, "REGISTRATION_SUCCEEDED")
        let former = try await ScriptedDistributor(on: scene.daemon, as: "alpha")
        #expect(await former.send("a", "one") == "")
        #expect(await former.send("b", "one") == "AccessDenied")
        #expect(await former.open("a") == "AccessDenied")
        #expect(await former.call("Unregistered", "a") == "AccessDenied")
        await distributor.end()
        #expect(await scene.logs("has left the session bus"))
        await scene.pass(2)
        await former.describe()
        #expect(await former.next()?.what == "Register a")
        await scene.notifications.end()
    }

    @Test("the name stays on the bus while distributors come and go")
    func stays() async throws {
        let scene = try await Scene(HandAccounts("a"))
        var owners: [String?] = []
        for round in 1...3 {
            let (distributor, _) = try await scene.distributor()
            let call = BusCall(
                "GetNameOwner",
                of: BusDriver.name,
                at: BusDriver.path,
                on: BusDriver.name,
                [.string("com.example.tasks")]
            )
            owners.append(try await distributor.bus.call(call, within: .seconds(30)).values.first?.text)
            await distributor.end()
            let words = "has left the session bus"
            #expect(await eventually { scene.log.count { $0.contains(words) } == round })
            await scene.pass(8)
        }
        #expect(Set(owners).count == 1, "\(owners)")
        await scene.notifications.end()
    }

    @Test("a name that another program has is reported, and taken once it is free")
    func taken() async throws {
        let daemon = try BusDaemon()
        let holder = try await ScriptedDesktop.buses(daemon).openSession(within: .seconds(30))
        try await holder.requestName("com.example.tasks")
        let scene = try await Scene(HandAccounts("a"), on: daemon)
        let words = "another program has the name"
        await scene.pass(30) { scene.log.contains { $0.contains(words) } }
        #expect(await scene.logs(words))
        holder.close()
        await holder.ended()
        _ = try await scene.distributor()
        await scene.notifications.end()
    }

    @Test("a distributor without a description is asked by a call of the second version", arguments: [1, 2])
    func undescribed(_ number: Int) async throws {
        let version = try #require(UnifiedPush.Version(rawValue: number))
        let scene = try await Scene(HandAccounts("a"))
        let distributor = try await ScriptedDistributor(on: scene.daemon, version, describes: false)
        await distributor.describe()
        if version == .second {
            let probe = try #require(await distributor.next())
            #expect(probe.what.hasPrefix("Unregister "))
            distributor.answer(probe.call)
        }
        #expect(await distributor.next()?.what == "Register a")
        await scene.notifications.end()
    }

    @Test("of the first version, an unrequested end without a token ends all registrations")
    func all() async throws {
        let scene = try await Scene(HandAccounts("a", "b"))
        let distributor = try await ScriptedDistributor(on: scene.daemon, .first)
        await distributor.describe()
        var calls: Set<String> = []
        for _ in 0..<2 {
            let next = try #require(await distributor.next())
            calls.insert(next.what)
            distributor.answer(next.call, "NEW_ENDPOINT", "")
        }
        #expect(calls == ["Register a", "Register b"])
        for channel in ["a", "b"] { _ = await distributor.open(channel, at: channel) }
        scene.accounts.end("b")
        let end = try #require(await distributor.next())
        #expect(end.what == "Unregister b")
        end.call.answer(.values([]))
        #expect(await distributor.call("Unregistered", "") == "")
        await scene.pass(65)
        #expect(await distributor.call("Unregistered", "") == "")
        await scene.pass(65)
        #expect(await distributor.next()?.what == "Register a")
        await scene.notifications.end()
    }

    @Test("accounts that cannot be read are read again")
    func unreadable() async throws {
        let accounts = HandAccounts("a")
        let scene = try await Scene(accounts)
        let (distributor, call) = try await scene.distributor()
        distributor.answer(call, "REGISTRATION_SUCCEEDED")
        accounts.breaks(true)
        accounts.add("b")
        await scene.pass(3)
        accounts.breaks(false)
        await scene.pass(12)
        #expect(await distributor.next()?.what == "Register b")
        await scene.notifications.end()
    }
}
