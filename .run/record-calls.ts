import { Session } from 'node:inspector/promises'

/**
 * The functions that ran during `act`, by file, from V8's coverage.
 * @param isWanted selects files by URL
 * @returns entries such as `schema/decide-message.ts decideMessage`, with the URL shortened by
 * `nameFile`
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
