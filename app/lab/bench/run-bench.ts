import { describeFigure, type Figure } from './figures/figure.ts'

/** Each `*.bench.ts` exports one `measure`, which returns its figures; some accept a selection. */
type Measure = (options: { cases: readonly string[] }) => Promise<readonly Figure[]>
const [file, ...cases] = process.argv.slice(2)
const { measure }: { measure: Measure } = await import(`./${file}`)
for (const figure of await measure({ cases })) console.log(describeFigure(figure))
// A library's forgotten timer would keep the process alive for minutes.
process.exit(0)
