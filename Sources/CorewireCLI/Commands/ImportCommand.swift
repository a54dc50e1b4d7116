import CorewireFile
import WireBase
import WireConfig

/// `corewire import`: a file of another system as a services file.
enum ImportCommand {
    static let command = Command(
        name: "import",
        summary: "Turn an AeroGear mobile-services.json or a HALO .plist into a services file.",
        discussion: "Secrets are not copied: each becomes a reference, and a comment says where it was.",
        arguments: [.init(name: "file", help: "The file to read.", values: .files)],
        options: [
            OutputFile.option("The file to write. (default: standard output)"),
            OutputFile.force,
        ],
        run: { invocation in
            let path = invocation.arguments[0]
            let bytes: [UInt8]
            do throws(Files.Failure) {
                bytes = try Files.read(path, upTo: Shipped.loader.limits.fileSize)
            } catch {
                throw Failure(message: "cannot read \(path.quoted): \(error.reason)", status: .noInput)
            }
            let text: String
            do throws(Importer.Refusal) {
                text = try Importer.servicesFile(from: bytes, named: path)
            } catch {
                if let report = error.report {
                    Console.say(ValidateCommand.text(report, isColoured: Console.wantsColour(on: 2)))
                }
                throw Failure(message: error.reason, status: .problemsFound)
            }
            try OutputFile.write(text, to: invocation.option("output") ?? "-", invocation)
            return .success
        }
    )
}
