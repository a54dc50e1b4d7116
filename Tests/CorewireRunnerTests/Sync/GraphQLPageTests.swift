import Support
import Testing

@Suite("Web pages at the local GraphQL endpoint", .timeLimit(.minutes(3)))
struct GraphQLPageTests {
    @Test(
        "a page of a declared origin can query, mutate and subscribe; other origins cannot",
        .enabled(if: Browser.isInstalled)
    )
    func page() async throws {
        let token = "page-0123456789abcdef0123456789abcd"
        let api = """
            api:
              listen: 127.0.0.1:0
              allowedOrigins: ["http://localhost:8099"]
              apps: { page: { token: \(token), access: write } }
            """
        let address = try await LoopbackAddress(SyncRunner.start(more: api))
        let run = try Browser.run(
            "Sync/graphql_page_test.py",
            [address.origin, token, "http://localhost:8099", "http://localhost:8098"]
        )
        #expect(run.status == 0, "\(run.everything)")
    }
}
