import { must } from '../../../schema/helpers/assertions.ts'

/** One value from our server's `/metrics`. */
export async function readMetric(origin: string, name: string): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`)).text()
  const line = text.split('\n').find((one) => one.startsWith(`${name} `))
  return Number(must(line, name).slice(name.length + 1))
}
