import CorewireCatalogue
import CorewireCLI
import WireBase
import WireConfig
import WireHost

/// `corewire auth scheme`: installs a desktop entry that returns browser sign-ins to the runner.
enum SchemeCommand {
    static func run(_ invocation: Invocation) throws -> ExitStatus {
        let path = try ConfigFinder.find(invocation)
        let file = DesktopFile(
            try app(of: path, invocation),
            services: Files.normalized(Files.path(path, beside: "\(HostFacts.workingFolder)/x"))
        )
        guard invocation.flag("install") else {
            Console.print(file.text)
            return .success
        }
        try install(file)
        return .success
    }

    private static func app(of path: String, _ invocation: Invocation) throws -> DesktopFile.App {
        let validation = try ConfigFinder.validate(invocation)
        try EnvironmentCommands.requireReadable(validation)
        let name = try ConfigFinder.environment(invocation, validation)
        guard let configuration = validation.environment(name)?.configuration,
            let auth = configuration[AuthSection.self]
        else {
            throw Failure(
                message: "\(path) has no readable 'auth'\(name.map { " in environment \($0.quoted)" } ?? "")",
                status: .problemsFound,
                help: "run 'corewire validate-config'"
            )
        }
        guard case .privateScheme(let uri) = auth.redirectURI, let end = uri.firstIndex(of: ":") else {
            throw Failure(
                message: "auth.redirectUri has no custom scheme: the runner listens at its address",
                status: .problemsFound,
                help: "no registration is needed"
            )
        }
        let section = configuration[AppSection.self]
        return DesktopFile.App(
            id: section?.id.text ?? "app",
            name: section?.displayName ?? section?.id.text ?? "corewire",
            scheme: String(uri[..<end])
        )
    }

    private static func install(_ file: DesktopFile) throws {
        let data = Console.variable("XDG_DATA_HOME") ?? "\(Console.variable("HOME") ?? "")/.local/share"
        let folder = "\(data)/applications"
        guard DesktopProgram.run(["/bin/mkdir", "-p", "--", folder]) == 0 else {
            throw Failure(message: "cannot create the folder \(folder.quoted)", status: .cannotCreate)
        }
        do throws(Fault) {
            try Files.replace("\(folder)/\(file.name)", with: Array(file.text.utf8))
        } catch {
            throw Failure(message: "cannot write to \(folder.quoted): \(error.reason)", status: .cannotCreate)
        }
        Console.printError("wrote \(folder)/\(file.name)\n")
        let status = DesktopProgram.run([
            "/usr/bin/xdg-mime", "default", file.name, "x-scheme-handler/\(file.app.scheme)",
        ])
        guard status == 0 else {
            throw Failure(
                message: "xdg-mime could not register corewire for \(file.app.scheme.quoted) URLs",
                status: .unavailable,
                help: "install xdg-utils, then: xdg-mime default \(file.name) x-scheme-handler/\(file.app.scheme)"
            )
        }
        Console.printError("corewire now opens URLs with the scheme \(file.app.scheme):\n")
    }
}
