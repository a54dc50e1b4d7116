import WireBase

/// `corewire completion`: the completion script of a shell.
enum CompletionCommand {
    static let command: Command = Command(
        name: "completion",
        summary: "Print the completion script of a shell.",
        discussion: """
            bash: corewire completion bash > /usr/share/bash-completion/completions/corewire
            zsh:  corewire completion zsh  > /usr/share/zsh/vendor-completions/_corewire
            fish: corewire completion fish > ~/.config/fish/completions/corewire.fish
            """,
        arguments: [.init(name: "shell", help: "bash, zsh or fish.", values: .words(["bash", "zsh", "fish"]))],
        run: { (invocation: Invocation) throws -> ExitStatus in
            switch invocation.arguments[0] {
            case "bash": Console.print(CompletionScript(Program.root()).bash)
            case "zsh": Console.print(CompletionScript(Program.root()).zsh)
            case "fish": Console.print(CompletionScript(Program.root()).fish)
            default:
                throw UsageError(
                    "completion scripts exist for bash, zsh and fish, not for \(invocation.arguments[0].quoted)",
                    for: invocation.path
                )
            }
            return .success
        }
    )
}
