import { useNavigate } from 'react-router-dom'
import { Button } from '../../ui/buttons/button.tsx'
import { PetrelMark } from '../../ui/icons/petrel-mark.tsx'
import { titlePage } from '../../ui/product.ts'
import styles from './not-found-page.module.css'

export function NotFoundPage() {
  const navigate = useNavigate()
  const goBack = () => {
    // In a new tab this is the first page.
    if (history.length > 1) void navigate(-1)
    else void navigate('/chat', { replace: true })
  }
  return (
    <main className={styles.page}>
      <title>{titlePage('Page Not Found')}</title>
      <PetrelMark size={72} />
      <h1>Page Not Found</h1>
      <div className={styles.buttons}>
        <Button onClick={() => void navigate('/chat')}>Go to Chat</Button>
        <Button look="quiet" onClick={goBack}>
          Go Back
        </Button>
      </div>
      <p>If you think this is an error, please contact support.</p>
    </main>
  )
}
