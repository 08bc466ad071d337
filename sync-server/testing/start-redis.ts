import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { findFreePort } from '../lib/testing/find-free-port.ts'

const startTimeoutMs = 60_000

export type TestRedis = Awaited<ReturnType<typeof startRedis>>

/** For tests: a real Redis on its own port, without persistence. */
export async function startRedis() {
  const port = await findFreePort()
  const running = { child: await launch(port) }

  async function stop() {
    const { child } = running
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  return {
    url: `redis://127.0.0.1:${port}`,
    /** Stops it, as a crash would. */
    stop,
    /** Restarts it, empty. */
    async start() {
      running.child = await launch(port)
    },
    /** Connections stay open, and nothing comes through. */
    freeze: () => running.child.kill('SIGSTOP'),
    thaw: () => running.child.kill('SIGCONT'),
    close: stop,
  }
}

async function launch(port: number): Promise<ChildProcess> {
  const flags = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const child = spawn('redis-server', flags, { stdio: 'ignore', cwd: '/' })
  // An aborted test run leaves no Redis behind.
  process.once('exit', () => child.kill('SIGKILL'))
  const failed = once(child, 'error').then(([error]) => {
    throw new Error(
      'These tests need the program redis-server: `apt-get install redis-server`, or `brew install redis`.',
      { cause: error },
    )
  })
  await Promise.race([waitUntilUp(port), failed])
  return child
}

async function waitUntilUp(port: number): Promise<void> {
  const deadline = Date.now() + startTimeoutMs
  while (!(await isListening(port))) {
    if (Date.now() > deadline) throw new Error(`no Redis answers on port ${port}`)
    await wait(25)
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
