import Corewire
import Support
import Testing

@Suite("Push registration through the Swift API", .timeLimit(.minutes(2)))
struct PushAPITests {
    private static let token = String(repeating: "a1", count: 32)
    private static let other = String(repeating: "b2", count: 32)
    private static let sections = """
        allow: { secret-in-clear: "a test" }
        push:
          providers: [apns]
          tokens: { apns: app, firebase: { value: fcm-token } }
          registrars:
            ups: { type: unifiedPush, url: https://push.example.com, variantId: tasks, variantSecret: known-to-all }
            crm: { type: altcraft, url: https://pxl.example.com, rToken: known-to-all }
        """

    private struct Never: Error {
        let found: [Corewire.Push.Registrar]
    }

    private func stands(_ push: Corewire.Push, _ name: String, _ state: Corewire.Push.Registrar.State) async throws {
        while await push.registrars.first(where: { $0.name == name })?.state != state {
            if Task.isCancelled { throw Never(found: await push.registrars) }
            await breath()
        }
    }

    private func fails(
        _ code: CorewireError.Code,
        _ work: () async throws(CorewireError) -> Void
    ) async -> CorewireError? {
        do throws(CorewireError) {
            try await work()
            Issue.record("nothing was refused")
            return nil
        } catch {
            #expect(error.code == code, "\(error)")
            return error
        }
    }

    @Test("code gets the current token, and servers get it and its replacement")
    func tokens() async throws {
        let program = try await EmbeddedProgram(sections: Self.sections)
        let push = program.corewire.push
        var waiting: Corewire.Push.Registrar?
        while waiting?.reason == nil {
            waiting = await push.registrars.first { $0.name == "ups" }
            try Task.checkCancellation()
            await breath()
        }
        #expect(waiting?.reason?.contains("the app has not set the token") == true && waiting?.since == nil)
        #expect(waiting?.state == .pending)
        var source: Corewire.Push.TokenCode? = push.tokens(of: .apns) { Self.token }
        for name in ["ups", "crm"] { try await stands(push, name, .registered) }
        #expect(await push.registrars.allSatisfy { $0.since != nil && $0.reason == nil })
        let known = try await push.status(.current, at: "crm")
        #expect(known.contains(#""subscription_id":"…a1a1""#) && !known.contains(Self.token))
        // One that is handed in stands in for code that is gone.
        try await push.setToken(Self.other, of: .apns)
        #expect(source != nil)
        source = nil
        var now = ""
        while !now.contains("…b2b2") {
            now = try await push.status(.current, at: "crm")
            try Task.checkCancellation()
            await breath()
        }
        await program.stop()
        #expect(await push.registrars.isEmpty)
        _ = await fails(.stopped) { () async throws(CorewireError) in try await push.register() }
    }

    @Test("subscriptions are suspended, changed, ended and started; profiles and events are sent")
    func subscriptions() async throws {
        let program = try await EmbeddedProgram(sections: Self.sections)
        let push = program.corewire.push
        try await push.setToken(Self.token, of: .apns)
        try await stands(push, "crm", .registered)
        try await push.suspend("crm")
        try await stands(push, "crm", .suspended)
        #expect(try await push.status(.current, at: "crm").contains(#""status":"suspended""#))
        try await push.unsuspend("crm")
        try await stands(push, "crm", .registered)
        try await push.subscribe("crm") { subscription in
            subscription.customFields["ward"] = .text("3B")
            subscription.profileFields["visits"] = .increment(.integer(2))
            subscription.categories = ["news"]
        }
        try await stands(push, "crm", .registered)
        var status = ""
        while !status.contains(#""ward":"3B""#) {
            status = try await push.status(.current, at: "crm")
            try Task.checkCancellation()
            await breath()
        }
        #expect(status.contains(#""name":"news""#))
        try await push.changeProfile("crm", ["_fname": .set(.text("Ada"))])
        var event = Corewire.Push.AppEvent("bought", siteID: "7")
        event.payload = ["price": .number(2.5)]
        event.utm = ["campaign": "spring"]
        event.matching = .init("push_sub", database: 1, identifiers: ["email": "ada@example.com"])
        event.subscription = .init(resource: 3, .email("ada@example.com"))
        event.profileFields = ["visits": .increment(.integer(1))]
        try await push.report(event, at: "crm")
        try await push.unsubscribe("crm")
        try await stands(push, "crm", .unregistered)
        try await push.subscribe("crm")
        try await stands(push, "crm", .registered)
        try await stands(push, "ups", .registered)
        #expect(try await push.clear(everybody: true).sorted() == ["crm", "ups"])
        try await stands(push, "ups", .pending)
        await program.stop()
    }

    @Test("the order of providers is changed and reset, and a removed token is gone")
    func providers() async throws {
        let program = try await EmbeddedProgram(sections: Self.sections)
        let push = program.corewire.push
        try await push.setToken(Self.token, of: .apns)
        try await stands(push, "crm", .registered)
        try await push.setProviders([.firebase])
        var status = ""
        while !status.contains("ios-firebase") {
            status = try await push.status(.current, at: "crm")
            try Task.checkCancellation()
            await breath()
        }
        try await push.setProviders(nil)
        while !status.contains("ios-apns") {
            status = try await push.status(.current, at: "crm")
            try Task.checkCancellation()
            await breath()
        }
        try await push.removeToken(of: .apns)
        try await push.refreshTokens()
        while await push.registrars.first(where: { $0.name == "crm" })?.reason == nil {
            try Task.checkCancellation()
            await breath()
        }
        await program.stop()
    }

    @Test("an impossible request reports its kind and the place in the file, without tokens")
    func refusals() async throws {
        let program = try await EmbeddedProgram(sections: Self.sections)
        let push = program.corewire.push
        let none = await fails(.noSuchRegistrar) { () async throws(CorewireError) in
            try await push.subscribe("upps")
        }
        #expect(none?.description.contains("did you mean 'ups'") == true)
        let foreign = await fails(.notSupported) { () async throws(CorewireError) in try await push.suspend("ups")
        }
        #expect(foreign?.setting?.path == "push.registrars.ups")
        #expect(foreign?.setting?.place.contains("services.yaml:") == true)
        let token = await fails(.badPushRequest) { () async throws(CorewireError) in
            try await push.setToken("canary token", of: .apns)
        }
        #expect("\(String(describing: token))".contains("canary") == false)
        let jwt = await fails(.notSupported) { () async throws(CorewireError) in
            try await push.setJWT("canary", at: "crm")
        }
        #expect(jwt?.help == "write 'jwt: app' to let the app set it")
        _ = await fails(.badPushRequest) { () async throws(CorewireError) in try await push.setProviders([]) }
        _ = await fails(.notNow) { () async throws(CorewireError) in
            _ = try await push.status(.current, at: "crm")
        }
        var event = Corewire.Push.AppEvent("bought", siteID: "7")
        event.utm = ["source": "a\r\nb"]
        let poor = event
        _ = await fails(.badPushRequest) { () async throws(CorewireError) in try await push.report(poor, at: "crm") }
        event.utm = ["sauce": "a"]
        let strange = event
        _ = await fails(.badPushRequest) { () async throws(CorewireError) in try await push.report(strange, at: "crm") }
        await program.stop()
        let bare = try await EmbeddedProgram()
        _ = await fails(.noService) { () async throws(CorewireError) in try await bare.corewire.push.register() }
        await bare.stop()
    }
}
