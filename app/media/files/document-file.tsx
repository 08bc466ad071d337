import { formatBytes } from '../../ui/format/format-bytes.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import { useFile } from '../loading/use-file.ts'
import styles from './message-file.module.css'
import type { MessageFileProps } from './message-file-props.ts'
import { readFileFacts } from './read-file-facts.ts'
import { saveFile } from './save-file.ts'

/** A document's name and size; a press saves it. */
export function DocumentFile({ messenger, message }: MessageFileProps) {
  const { view, load } = useFile({ messenger, message, isAutomatic: true, setting: 'loadFiles' })
  const { name, size } = readFileFacts(message)
  async function save() {
    const bytes = view.kind === 'here' ? view.bytes : await load()
    if (bytes) saveFile(bytes, name)
  }
  return (
    <button
      type="button"
      className={styles.document}
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
          {view.kind === 'loading' ? 'Loading…' : size !== undefined && formatBytes(size)}
          {view.kind === 'away' && view.problem && ` ${view.problem}`}
        </span>
      </span>
      <Icon name="download" size={20} />
    </button>
  )
}
