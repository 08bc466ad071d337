import { readFileSync, writeFileSync } from 'node:fs'
import { drawArrows } from './import-arrows.mjs'
import { runTool, top } from './project.mjs'

// Writes CONTRIBUTING's table of arrows into the linter's configuration. Run `npm run arrows` after
// changing the table.
const file = `${top}.biome.json`
writeFileSync(file, JSON.stringify(drawArrows(readFileSync(file, 'utf8'))))
process.exit(await runTool('biome', ['format', '--write', '.biome.json']))
