import Testing
import WireBase
import WireConfig
import WireDialects

@Suite("mobile-services.json in Swift")
struct MobileServicesTests {
    private func read(_ text: String) throws -> MobileServices { try MobileServices(json: text.utf8) }

    private func keycloak(_ config: String, url: String = "https://k.example.com") throws -> MobileServices {
        try read("{\"services\": [{\"type\": \"keycloak\", \"url\": \"\(url)\", \"config\": {\(config)}}]}")
    }

    @Test("the getters of the sample app return values of its file")
    func sampleGetters() throws {
        let services = try MobileServices(json: try Fixture.bytes("services/sample-app.json"))
        #expect(try services.issuer == "https://sso.example.com/auth/realms/example-app-realm")
        #expect(try services.issuerWithTrailingSlash == "https://sso.example.com/auth/realms/example-app-realm/")
        #expect(try services.clientID == "example-app-client")
        #expect(try services.syncURL.description == "https://server.example.com/graphql")
        #expect(try services.webSocketURL.description == "wss://server.example.com/graphql")
    }

    @Test("push returns the variant with a protected secret")
    func push() throws {
        let push = try read(
            """
            {"services": [{"type": "PUSH", "url": "https://p.example.com", "config": {"ios": {"variantID": "v", "variantSecret": "canary"}}}]}
            """
        ).push
        #expect(push.url.description == "https://p.example.com")
        #expect(push.variantID == "v")
        #expect(push.variantSecret.reveal() == "canary")
        var dumped = ""
        dump(push, to: &dumped)
        #expect(!dumped.contains("canary"))
    }

    @Test("trailing slashes of the server URL are not doubled", arguments: ["", "/", "//"])
    func slashes(end: String) throws {
        let services = try keycloak("\"auth-server-url\": \"https://sso.example.com/auth\(end)\", \"realm\": \"r\"")
        #expect(try services.issuer == "https://sso.example.com/auth/realms/r")
        #expect(try services.issuerWithTrailingSlash == "https://sso.example.com/auth/realms/r/")
    }

    @Test("without 'auth-server-url' the URL of the service is used")
    func serviceAddress() throws {
        #expect(try keycloak("\"realm\": \"r\"").issuer == "https://k.example.com/realms/r")
    }

    @Test("services are found by case-insensitive type, and by exact id")
    func lookUp() throws {
        let services = try read(
            """
            {"services": [{"id": "one", "type": "Sync", "url": "a"}, {"id": "One", "type": "sync", "url": "b"},
                          {"id": "one", "type": "x", "url": "c", "config": {"deep": {"er": [1, null]}}}]}
            """
        )
        #expect(services.services(ofType: "SYNC").map(\.url) == ["a", "b"])
        #expect(services.services(ofType: "push").isEmpty)
        #expect(services.service(id: "one")?.url == "a")
        #expect(services.service(id: "One")?.url == "b")
        #expect(services.service(id: "ONE") == nil)
        #expect(services.services[2].config("deep", "er") == .list([.integer(1), .null]))
        #expect(services.services[2].config("deep", "no") == nil)
    }

    @Test("a getter reports what is missing")
    func missing() throws {
        let empty = try read("{\"services\": []}")
        #expect(throws: error(.noService, "", "no service of type 'keycloak'")) { try empty.issuer }
        #expect(throws: error(.noService, "", "no service of type 'sync' or 'sync-app'")) { try empty.syncURL }
        #expect(throws: error(.noService, "", "no service of type 'push'")) { try empty.push.url }
        let bare = try keycloak("")
        #expect(throws: error(.noValue, ":1:24", "service 'keycloak' has no 'config.realm'")) { try bare.issuer }
        #expect(throws: error(.noValue, ":1:24", "service 'keycloak' has no 'config.resource'")) { try bare.clientID }
        let sync = try read("{\"services\": [{\"type\": \"sync\", \"url\": \"https://s.example.com\"}]}")
        #expect(throws: error(.noValue, ":1:24", "service 'sync' has no 'config.websocketUrl'")) {
            try sync.webSocketURL
        }
    }

    @Test("an invalid value is reported without quoting it")
    func wrong() throws {
        let realm = try keycloak("\"realm\": {}")
        #expect(throws: error(.badValue, ":1:88", "config.realm: expected text, found a mapping")) { try realm.issuer }
        let spaces = try keycloak("\"realm\": \"a b\"")
        #expect(throws: error(.badValue, ":1:24", "'auth-server-url' and 'realm' do not form a URL")) {
            try spaces.issuer
        }
        let user = try keycloak("\"realm\": \"r\"", url: "https://u:hunter2@k.example.com")
        #expect(
            throws: error(
                .badValue,
                ":1:24",
                "the address of service 'keycloak' is not a URL without user name and password"
            )
        ) {
            try user.issuer
        }
        let reference = try keycloak("\"resource\": \"${env:CLIENT}\"")
        #expect(
            throws: error(.reference, ":1:91", "config.resource is a reference, which only 'corewire run' resolves")
        ) {
            try reference.clientID
        }
    }

    @Test(
        "a document that is not a list of services is rejected",
        arguments: [
            ("", MobileServicesError.Code.badServices, ":1:1", "expected a mapping with 'services'"),
            ("[]", .badServices, ":1:1", "expected a mapping with 'services'"),
            ("{}", .badServices, ":1:1", "missing 'services'"),
            ("{\"services\": {}}", .badServices, ":1:2", "services: expected a list, found a mapping"),
            ("{\"services\": [{\"type\": \"x\"}]}", .badServices, ":1:24", "missing 'url' in services.0"),
            ("{\"services\": [\n1]}", .badServices, ":2:1", "services.0: expected a mapping, found a single value"),
            ("{\"services\": [}", .unreadable, ":1:15", "a value is expected here"),
            (
                "{\"services\": [], \"services\": []}", .unreadable, ":1:18",
                "key 'services' is duplicated in a mapping"
            ),
        ]
    )
    func refused(text: String, code: MobileServicesError.Code, place: String, message: String) {
        #expect(throws: error(code, place, message)) { try read(text) }
    }

    private func error(_ code: MobileServicesError.Code, _ place: String, _ message: String) -> MobileServicesError {
        MobileServicesError(code: code, location: "mobile-services.json\(place)", message: message)
    }
}
