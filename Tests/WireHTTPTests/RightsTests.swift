import Testing
import WireHTTP

@Suite("Rights of callers")
struct RightsTests {
    private static func problem(
        _ rights: Rights,
        _ access: Route.Access,
        _ method: Method = .get,
        namespace: String? = nil
    ) throws -> Problem? {
        let route = Route(method, "/{namespace}", "answers", access: access, .snapshot { _ in Response(.ok) })
        var asked = try request(method, "/a")
        if let namespace { asked.parameters = [(name: "namespace", value: namespace)] }
        return rights.problem(with: route, asked)
    }

    @Test(
        "a caller may use operations of its access level, and public ones",
        arguments: [
            (nil, .anyone, true), (nil, .read, false), (.read, .anyone, true), (.read, .read, true),
            (.read, .write, false), (.write, .read, true), (.write, .write, true), (.write, .admin, false),
            (.admin, .write, true), (.admin, .admin, true),
        ] as [(Route.Access?, Route.Access, Bool)]
    )
    func access(held: Route.Access?, asked: Route.Access, isAllowed: Bool) throws {
        let problem = try Self.problem(Rights(access: held, account: "app"), asked)
        #expect((problem == nil) == isAllowed)
        if let problem { #expect(problem.status == .forbidden && problem.detail == "app may not use this operation") }
    }

    @Test("an unknown caller gets 401")
    func unknown() throws {
        let problem = try #require(try Self.problem(.none, .read))
        #expect(problem.status == .unauthorized && problem.kind == "unauthorized")
        #expect(problem.fields["WWW-Authenticate"] == "Bearer realm=\"corewire\"")
        #expect(try Self.problem(.none, .anyone) == nil)
    }

    @Test("a request that a foreign page could send changes nothing, whatever the rights")
    func forgeable() throws {
        var rights = Rights.everything("console")
        #expect(try Self.problem(rights, .admin, .put) == nil)
        rights.isForgeable = true
        #expect(try Self.problem(rights, .admin, .get) == nil)
        for access in [Route.Access.anyone, .admin] {
            let problem = try #require(try Self.problem(rights, access, .put))
            #expect(problem.status == .forbidden)
            #expect(problem.detail == "a request that changes something must have the field 'X-Corewire: 1'")
        }
    }

    @Test("an app with namespaces may use only these, and operations without a namespace")
    func namespaces() throws {
        let rights = Rights(access: .read, namespaces: ["a", "b"], account: "app")
        for namespace in [nil, "a", "b"] { #expect(try Self.problem(rights, .read, namespace: namespace) == nil) }
        let problem = try #require(try Self.problem(rights, .read, namespace: "c"))
        #expect(problem.status == .forbidden && problem.detail == "app may not use this namespace")
        #expect(try Self.problem(Rights(access: .read, account: "app"), .read, namespace: "c") == nil)
    }

    @Test("an app may get tokens of its modes, with only its scopes")
    func tokens() {
        let rights = TokenRights(modes: ["app"], scopes: ["openid", "profile"])
        #expect(rights.allow(mode: "app") && !rights.allow(mode: "user"))
        #expect(TokenRights.all.allow(mode: "user") && !TokenRights.none.allow(mode: "user"))
        #expect(rights.scopeTooMany(among: ["profile", "openid"]) == nil)
        #expect(rights.scopeTooMany(among: ["openid", "email", "phone"]) == "email")
        #expect(TokenRights.all.scopeTooMany(among: ["email"]) == nil)
        #expect(Rights.everything("x").tokens == TokenRights.all)
        #expect(Rights(access: .admin, account: "x").tokens == TokenRights.none)
    }
}
