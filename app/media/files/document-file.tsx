import { formatBytes } from '../../ui/format/format-amounts.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import { useFile } from '../loading/use-file.ts'
import { type MessageFileProps, readFileFacts } from './file-facts.ts'
import styles from './message-file.module.css'
import { saveFile } from './save-file.ts'

/** A document's name, kind and size, as `PDF · 184 kB`; a press saves it. */
export function DocumentFile({ messenger, message }: MessageFileProps) {
  const { view, load } = useFile({ messenger, message, isAutomatic: true, setting: 'loadFiles' })
  const { name, size: bytes, kind } = readFileFacts(message)
  const size = bytes !== undefined && formatBytes(bytes)
  async function save() {
    const file = view.kind === 'here' ? view.bytes : await load()
    if (file) saveFile(file, name)
  }
  return (
    <button
      type="button"
      className={styles.document}
      data-document=""
      aria-label={`Download ${name}`}
      // Not `disabled`, which would remove the focus from the pressed button.
      aria-disabled={view.kind === 'loading'}
      onClick={() => view.kind !== 'loading' && void save()}
    >
      <span className={styles.symbol}>
        <Icon name="file" size={24} />
      </span>
      <span className={styles.words}>
        <span className={styles.name} dir="auto">
          {name}
        </span>
        <span className={styles.size}>
          {view.kind === 'loading' ? 'Loading…' : [kind, size].filter(Boolean).join(' · ')}
          {view.kind === 'away' && view.problem && ` ${view.problem}`}
        </span>
      </span>
      <Icon name="download" size={20} />
    </button>
  )
}
