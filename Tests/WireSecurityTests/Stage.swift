import Glibc
import WireSecurityContract
import WireService
import WireTelemetry
import Workbench

@testable import WireSecurity

/// What rules look at in a test.
enum Stage {
    static func context(_ probes: any MachineProbes) throws -> RuleContext {
        let section = try SectionInFile<SecuritySection>("baseline: true")
        return context(probes, try Workbench().host(for: section))
    }

    static func context(_ probes: any MachineProbes, _ host: ServiceHost) -> RuleContext {
        RuleContext(
            probes: probes,
            ownFiles: OwnPlaces(program: "/usr/bin/app", files: ["/etc/app.yaml"], state: "/var/lib/app", runtime: nil),
            host: host,
            versions: MobileSecurityService(host: host, probes: probes),
            integrity: FileIntegrity(files: [], state: "", secretsInClear: [], weakSettings: [])
        )
    }
}

/// A port of this machine that something listens on.
final class Listening {
    struct Failure: Error {}

    let port: Int
    private var descriptor: Int32

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        var length = size
        let number = descriptor
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(number, address, size) == 0 && listen(number, 1) == 0
                    && getsockname(number, address, &length) == 0
            }
        }
        guard isBound else { throw Failure() }
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    func end() {
        close(descriptor)
        descriptor = -1
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
