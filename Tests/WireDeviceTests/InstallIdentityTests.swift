import Support
import Testing
import WireBase
import WireConfig
import WireCrypto
import WireDevice
import WireDeviceContract
import WireService
import WireSQLite
import Workbench

@Suite("Request ids of an installation")
struct InstallIdentityTests {
    /// An install that keeps its secret in a folder, in one of its environments.
    private static func host(_ bench: Workbench, _ environment: String = "prod") throws -> ServiceHost {
        let text = """
            version: 1
            app: { id: com.example.tasks }
            environments: { prod: { baseUrl: "https://a.example.com" }, qa: { baseUrl: "https://b.example.com" } }
            environment: prod
            device: { register: never }

            """
        let file = try SectionInFile<DeviceSection>(file: text, environment: environment)
        return bench.host(for: file, offering: [Ability.secrecy.offered(by: OpenSSLSecrecy())])
    }

    @Test("equal input has one id across restarts; other input, installations and environments have others")
    func ids() async throws {
        let bench = try Workbench()
        let id = try await InstallIdentity(Self.host(bench)).id(of: "push", "crm", "7")
        let form = /[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
        #expect(id.wholeMatch(of: form) != nil, "\(id)")
        #expect(try await InstallIdentity(Self.host(bench)).id(of: "push", "crm", "7") == id)
        var ids = [id]
        for words in [["push", "crm", "8"], ["push", "cr", "m7"], ["push", "crm7", ""], ["pushcrm7"]] {
            let install = try InstallIdentity(Self.host(bench))
            switch words.count {
            case 1: ids.append(try await install.id(of: words[0]))
            default: ids.append(try await install.id(of: words[0], words[1], words[2]))
            }
        }
        ids.append(try await InstallIdentity(Self.host(bench, "qa")).id(of: "push", "crm", "7"))
        let other = try Workbench()
        ids.append(try await InstallIdentity(Self.host(other)).id(of: "push", "crm", "7"))
        await other.store.close()
        #expect(Set(ids).count == ids.count, "\(ids)")
        await bench.store.close()
        let later = try Workbench(in: bench.folder)
        #expect(try await InstallIdentity(Self.host(later)).id(of: "push", "crm", "7") == id)
        await later.store.close()
    }

    @Test("a cleared installation gets new ids, in one environment or all")
    func forgotten() async throws {
        let bench = try Workbench()
        let (prod, qa) = (InstallIdentity(try Self.host(bench)), InstallIdentity(try Self.host(bench, "qa")))
        let (first, other) = (try await prod.id(of: "x"), try await qa.id(of: "x"))
        let eraser = Eraser(Stores(bench.store))
        try await prod.forget(everywhere: false, with: eraser)
        let second = try await prod.id(of: "x")
        #expect(second != first)
        #expect(try await qa.id(of: "x") == other)
        try await prod.forget(everywhere: true, with: eraser)
        #expect(try await prod.id(of: "x") != second)
        #expect(try await qa.id(of: "x") != other)
        await bench.store.close()
    }
}
