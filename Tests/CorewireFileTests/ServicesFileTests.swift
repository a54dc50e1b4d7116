import CorewireFile
import Foundation
import Support
import Testing

@Suite("Services files from Swift")
struct ServicesFileTests {
    @Test("settings are typed, laid over by the environment, and their references resolved")
    func settings() throws {
        let folder = try TemporaryFolder()
        try folder.write("hunter2\n", to: "secret")
        try folder.write(
            """
            app: { id: com.example.one }
            environment: dev
            environments:
              dev: { baseUrl: https://dev.example.com }
              prod: { baseUrl: https://api.example.com, network: { retries: 5 } }
            auth: { url: "https://sso.example.com", clientIds: { dev: a, prod: b }, clientSecret: "${file:secret}" }
            network: { retries: 2, timeout: 1m30s }
            metrics: { url: https://metrics.example.com/metrics, every: 1h }

            """,
            to: "a.yaml"
        )
        let file = try ServicesFile(path: folder.url.appendingPathComponent("a.yaml").path)
        #expect(file.environments == ["dev", "prod"])
        let (dev, prod) = (try file.services(), try file.services(in: "prod"))
        #expect(dev.network?.retries == 2 && prod.network?.retries == 5)
        #expect(prod.network?.timeout == .seconds(90))
        #expect(prod.auth?.clientIDs?["prod"]?.text == "b")
        #expect(prod.metrics?.every == .seconds(3_600))
        #expect(prod.auth?.clientSecret?.reveal() == "hunter2")
        var dumped = ""
        dump(prod, to: &dumped)
        #expect(!dumped.contains("hunter2"))
        #expect(prod.push == nil)
    }

    @Test("what is wrong is thrown in words, without a secret")
    func errors() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appendingPathComponent("a.yaml").path
        let unreadable = #expect(throws: ServicesFileError.self) { try ServicesFile(path: path) }
        #expect(unreadable?.code == .unreadable)
        try folder.write("network: { retires: 1 }\n", to: "a.yaml")
        let invalid = #expect(throws: ServicesFileError.self) { try ServicesFile(path: path) }
        #expect(invalid?.code == .invalid && invalid?.description.contains("did you mean 'retries'?") == true)
        try folder.write("network: { timeout: \"${file:s}\" }\n", to: "a.yaml")
        let file = try ServicesFile(path: path)
        let missing = #expect(throws: ServicesFileError.self) { try file.services() }
        #expect(missing?.code == .unresolved)
        try folder.write("hunter2", to: "s")
        let unfit = #expect(throws: ServicesFileError.self) { try file.services() }
        #expect(unfit?.code == .unresolved && unfit?.description.contains("hunter2") == false)
        let unknown = #expect(throws: ServicesFileError.self) { try file.services(in: "prod") }
        #expect(unknown?.code == .unknownEnvironment)
    }
}
