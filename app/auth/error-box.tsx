import { Icon } from '../ui/icons/icon.tsx'
import styles from './styles/form.module.css'

/** The red error box above a form; screen readers announce it. */
export function ErrorBox({ text }: { text: string | undefined }) {
  return (
    <div role="alert">
      {text && (
        <p className={styles.error}>
          <Icon name="warning" size={20} />
          {text}
        </p>
      )}
    </div>
  )
}
