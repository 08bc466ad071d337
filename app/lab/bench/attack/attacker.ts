import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Account } from '../../server/server-accounts.ts'
import type { AttackName } from './hostile-attacks.ts'

const program = fileURLToPath(new URL('attacker-program.ts', import.meta.url))

export type AttackOrder =
  | { kind: 'begin'; name: AttackName; port: number; attackers: readonly Account[] }
  | { kind: 'end' }

/** A process that attacks a server, one method at a time. */
export function createAttacker(target: { port: number; attackers: readonly Account[] }) {
  const child = fork(program, { execArgv: ['--import', 'tsx'] })
  const gone = once(child, 'exit').then(() => Promise.reject(new Error('The attacker has gone.')))
  gone.catch(() => undefined)

  async function order(what: AttackOrder): Promise<void> {
    const answered = once(child, 'message')
    child.send(what)
    await Promise.race([answered, gone])
  }

  return {
    begin: (name: AttackName) => order({ kind: 'begin', name, ...target }),
    end: () => order({ kind: 'end' }),
    async close() {
      child.kill()
      await once(child, 'exit')
    },
  }
}
