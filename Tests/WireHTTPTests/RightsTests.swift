import Testing
import WireHTTP

@Suite("What a caller may do")
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
        "a caller may ask for what its access covers, and for what is anybody's",
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

    @Test("a caller who is not known is asked who it is")
    func unknown() throws {
        let problem = try #require(try Self.problem(.none, .read))
        #expect(problem.status == .unauthorized && problem.kind == "unauthorized")
        #expect(problem.fields["WWW-Authenticate"] == "Bearer realm=\"corewire\"")
        #expect(try Self.problem(.none, .anyone) == nil)
    }

    @Test("nothing is changed by what a page of somebody else's may have sent, whatever the caller may do")
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

    @Test("a caller with namespaces of its own may use these, and what has none")
    func namespaces() throws {
        let rights = Rights(access: .read, namespaces: ["a", "b"], account: "app")
        for namespace in [nil, "a", "b"] { #expect(try Self.problem(rights, .read, namespace: namespace) == nil) }
        let problem = try #require(try Self.problem(rights, .read, namespace: "c"))
        #expect(problem.status == .forbidden && problem.detail == "app may not use this namespace")
        #expect(try Self.problem(Rights(access: .read, account: "app"), .read, namespace: "c") == nil)
    }

    @Test("a caller may be given tokens of its modes, with no scope that is not its own")
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
