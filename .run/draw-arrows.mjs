import { readFileSync, writeFileSync } from 'node:fs'
import { drawArrows } from './import-arrows.mjs'
import { runTool, top } from './project.mjs'

// Writes the table of arrows in CONTRIBUTING into the linter's configuration: `npm run arrows` after a change of it.
const file = `${top}.biome.json`
writeFileSync(file, JSON.stringify(drawArrows(readFileSync(file, 'utf8'))))
process.exit(await runTool('biome', ['format', '--write', '.biome.json']))
