import { describeFigure, type Figure } from './figure.ts'

/** Each `*.bench.ts` exports one `measure`, which gives its figures. */
const { measure }: { measure(): Promise<readonly Figure[]> } = await import(`./${process.argv[2]}`)
for (const figure of await measure()) console.log(describeFigure(figure))
// A library's forgotten timer would keep the process for minutes.
process.exit(0)
