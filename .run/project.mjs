// Runs before any dependency is installed: uses only Node.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The checkout's top folder, with a slash at the end. */
export const top = fileURLToPath(new URL('..', import.meta.url))

/**
 * Node's options for the server. Each message leaves most of a megabyte of garbage: V8's young generation of 1 to 16 MB
 * costs a fifth of the messages in a second. They cannot be set once Node runs.
 */
export const serverOptions = ['--min-semi-space-size=16', '--max-semi-space-size=64']

/**
 * Runs a program in the checkout with this terminal's input and output.
 * @param {string} command
 * @param {string[]} args
 * @param {Record<string, string>} [env] added to this process's own
 * @returns {Promise<number>} its exit code; 1 if a signal killed it
 */
export function runCommand(command, args, env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: top,
      stdio: 'inherit',
      env: { ...process.env, ...env },
      shell: process.platform === 'win32',
    })
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

/**
 * Like runCommand, but a failure ends this process with the same code.
 * @type {(...call: Parameters<typeof runCommand>) => Promise<void>}
 */
export async function runOrExit(...call) {
  const code = await runCommand(...call)
  if (code !== 0) process.exit(code)
}

/**
 * The path of an installed package's program.
 * @param {string} name
 */
export function toolPath(name) {
  return `${top}node_modules/.bin/${name}`
}

/**
 * Runs a program of an installed package: `runTool('vite', ['build'])`.
 * @type {(...call: Parameters<typeof runCommand>) => Promise<number>}
 */
export function runTool(name, ...rest) {
  return runCommand(toolPath(name), ...rest)
}

/** Installs exactly what the lock file lists, unless node_modules already matches it. */
export async function installIfNeeded() {
  const installed = readPackages('node_modules/.package-lock.json')
  const wanted = readPackages('package-lock.json')
  const isInstalled = Object.entries(wanted).every(
    ([path, { version, optional }]) =>
      path === '' || optional || installed[path]?.version === version,
  )
  if (isInstalled) return
  await runOrExit('npm', ['ci', '--loglevel=error'])
}

/**
 * @param {string} lockFile
 * @returns {Record<string, { version?: string, optional?: boolean }>} by folder
 */
function readPackages(lockFile) {
  return existsSync(top + lockFile) ? JSON.parse(readFileSync(top + lockFile, 'utf8')).packages : {}
}
