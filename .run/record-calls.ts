import { Session } from 'node:inspector/promises'

/**
 * Which functions of which files ran during `act`, as V8 counted them.
 * @param isWanted picks files by their address
 * @returns entries such as `schema/decide-message.ts decideMessage`, with the address cut by `nameFile`
 */
export async function recordCalls(act: () => Promise<void>, nameFile: (url: string) => string) {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await act()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  session.disconnect()
  return new Set(
    result.flatMap(({ url, functions }) =>
      functions
        .filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
        .map(({ functionName }) => `${nameFile(url)} ${functionName}`),
    ),
  )
}
