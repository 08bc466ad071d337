import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('socket-crowd-program.ts', import.meta.url))
/** A process's open files besides its sockets. */
const otherFiles = 200
/** Its socket, and its connection for requests. */
const filesEach = 2

export type CrowdOrder =
  | { kind: 'connect'; url: string; tokens: readonly string[]; isPulling?: boolean }
  | { kind: 'report' }

export interface CrowdReport {
  /** Sockets that are open now. */
  open: number
  /** What each device has received since it connected. */
  bytes: readonly number[]
  /** Documents that the devices pulled, and the number of refused and retried requests. */
  pulled: number
  askedAgain: number
}

export type SocketCrowd = ReturnType<typeof createSocketCrowd>

/**
 * A process with a socket for each of many devices.
 * @throws Error when this machine's limit does not allow that many sockets per process
 */
export function createSocketCrowd(size: number) {
  requireFiles(filesEach * size + otherFiles)
  const child = fork(program, { execArgv: ['--import', 'tsx'] })

  async function order(what: CrowdOrder): Promise<CrowdReport> {
    const answered = once(child, 'message')
    child.send(what)
    const ended = once(child, 'exit').then(() => Promise.reject(new Error('The crowd has gone.')))
    const [report] = (await Promise.race([answered, ended])) as [CrowdReport]
    return report
  }

  return {
    /** Connects all; resolves when each has received its first frame. */
    connect: (origin: string, tokens: readonly string[]) =>
      order({ kind: 'connect', url: origin.replace('http', 'ws'), tokens }),
    /**
     * The same, and each pulls both its databases once connected; resolves when all have
     * everything.
     */
    comeBack: (origin: string, tokens: readonly string[]) =>
      order({ kind: 'connect', url: origin.replace('http', 'ws'), tokens, isPulling: true }),
    report: () => order({ kind: 'report' }),
    async close() {
      child.kill()
      await once(child, 'exit')
    },
  }
}

/** Node raises its open-file limit to the hard limit; only the machine's owner can raise that. */
function requireFiles(needed: number) {
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files?: { hard: string | number } }
  }
  const hard = Number(userLimits?.open_files?.hard)
  if (hard < needed) {
    throw new Error(
      `This takes ${needed} open files, and \`ulimit -Hn\` here is ${hard}: raise it.`,
    )
  }
}
